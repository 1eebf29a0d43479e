package io.psf.builtin.internal.checkpoint;

import io.psf.api.spi.FolderStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The files of a model's checkpoints, for tests that look at them, damage them or forge them.
 *
 * @param root the directory for checkpoints
 */
public record SavedFiles(Path root, String model) {
    private ModelImages images(long step) {
        try {
            return steps().images(
                            ModelManifest.parse(Files.readString(folder(step).resolve(ModelManifest.NAME))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ModelSteps steps() {
        return ModelSteps.of(new FolderStore(root), model);
    }

    /** Returns the folder of a step. */
    public Path folder(long step) {
        return root.resolve(model).resolve(CheckpointNames.step(step));
    }

    private List<SavedChain> chains(String tensor, long step) {
        return Objects.requireNonNull(images(step).tensors().get(tensor)).chains();
    }

    /** Returns the names of the tensors of a step. */
    public List<String> tensors(long step) {
        return List.copyOf(images(step).tensors().keySet());
    }

    /** Returns the images of a tensor that a step builds on. */
    public List<SavedImage> bases(String tensor, long step) {
        return chains(tensor, step).stream()
                .flatMap(chain -> chain.images().stream().limit(chain.images().size() - 1))
                .toList();
    }

    /** Returns the images of a tensor that the save of a step has written. */
    public List<SavedImage> written(String tensor, long step) {
        return chains(tensor, step).stream().map(SavedChain::last).toList();
    }

    /** Returns the oldest image of the first rows of a tensor. */
    public SavedImage oldest(String tensor, long step) {
        return chains(tensor, step).get(0).images().get(0);
    }

    /** Returns the file of an image. */
    public Path file(SavedImage image) {
        return root.resolve(model).resolve(image.file());
    }

    /** Changes a byte of an image, for all steps that have it. */
    public void damage(SavedImage image) {
        try (FileChannel file = FileChannel.open(file(image), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long at = image.offset() + image.bytes() - 20;
            ByteBuffer one = ByteBuffer.allocate(1);
            file.read(one, at);
            one.put(0, (byte) (one.get(0) ^ 1)).flip();
            file.write(one, at);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the bytes of all images of a step. */
    public Map<SavedImage, byte[]> contents(long step) throws IOException {
        Map<SavedImage, byte[]> all = new LinkedHashMap<>();
        ModelImages images = images(step);
        for (TensorImages tensor : images.tensors().values()) {
            for (SavedImage image : tensor.images()) {
                all.put(image, bytes(file(image), image));
            }
        }
        return all;
    }

    /**
     * Writes a step of this model as a step of another one, or anew: each image is a file of its own, and the checksums
     * are right.
     *
     * @param contents the bytes of each image of the step
     */
    public void write(long step, Map<SavedImage, byte[]> contents, SavedFiles to) throws IOException {
        ModelManifest manifest = images(step).manifest();
        Path folder = Files.createDirectories(to.folder(step));
        Map<String, Long> lengths = new TreeMap<>();
        List<ServerIndex.Slice> slices = new ArrayList<>();
        for (TensorImages tensor : images(step).tensors().values()) {
            for (SavedChain chain : tensor.chains()) {
                List<SavedImage> alone = new ArrayList<>();
                for (SavedImage each : chain.images()) {
                    byte[] bytes = Objects.requireNonNull(contents.get(each));
                    int checksum = ByteBuffer.wrap(bytes)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .getInt(bytes.length - Integer.BYTES);
                    String file = CheckpointNames.step(step) + "/" + lengths.size() + Pack.SUFFIX;
                    SavedImage image = new SavedImage(
                            each.save(), each.begin(), each.end(), file, 0, bytes.length, checksum, each.bases());
                    Files.write(to.file(image), bytes);
                    lengths.put(file, (long) bytes.length);
                    alone.add(image);
                }
                slices.add(new ServerIndex.Slice(tensor.tensor(), new SavedChain(alone)));
            }
        }
        String text = new ServerIndex(manifest.tensors().get(0).save(), lengths, slices).text();
        Files.writeString(folder.resolve("all.index"), text);
        SavedIndex index = new SavedIndex(
                CheckpointNames.step(step) + "/all.index",
                text.getBytes(StandardCharsets.UTF_8).length,
                SealedText.checksum(text));
        ModelManifest alone = new ModelManifest(step, manifest.tensors(), List.of(index), manifest.records());
        Files.writeString(folder.resolve(ModelManifest.NAME), alone.text());
    }

    private static byte[] bytes(Path file, SavedImage image) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) image.bytes());
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            while (bytes.hasRemaining() && in.read(bytes, image.offset() + bytes.position()) >= 0) {}
        }
        return bytes.array();
    }
}
