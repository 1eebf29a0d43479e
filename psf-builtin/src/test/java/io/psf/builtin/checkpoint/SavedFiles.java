package io.psf.builtin.checkpoint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * The files of a model's checkpoints, for tests that look at them, damage them, or need them as earlier versions wrote
 * them.
 *
 * @param root the directory for checkpoints
 */
public record SavedFiles(Path root, String model) {
    private ModelImages images(long step) {
        ModelSteps steps = new ModelSteps(root, model);
        ModelManifest manifest;
        try {
            manifest = ModelManifest.parse(Files.readString(steps.of(step).file(ModelManifest.NAME)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return steps.images(manifest);
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
    public Path file(SavedImage image, long step) {
        return images(step).folder().file(image);
    }

    /** Changes a byte of an image, in all steps that have it. */
    public void damage(SavedImage image, long step) {
        try (FileChannel file =
                FileChannel.open(file(image, step), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long at = image.offset() + image.bytes() - 20;
            ByteBuffer one = ByteBuffer.allocate(1);
            file.read(one, at);
            one.put(0, (byte) (one.get(0) ^ 1)).flip();
            file.write(one, at);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Writes a step as earlier versions did: each image is a file, and each tensor has a manifest.
     *
     * @param to a folder that does not exist
     */
    public void writeByTensor(long step, Path to) throws IOException {
        ModelImages images = images(step);
        for (TensorImages tensor : images.tensors().values()) {
            Path folder = Files.createDirectories(
                    to.resolve(CheckpointPath.of(tensor.tensor().id())));
            boolean whole =
                    tensor.chains().stream().allMatch(chain -> chain.images().size() == 1);
            StringBuilder text = new StringBuilder(whole ? "psf-checkpoint 1\n" : "psf-checkpoint 2\n");
            text.append(String.format(
                    Locale.ROOT,
                    "shape %d %d\n",
                    tensor.tensor().rows(),
                    tensor.tensor().width()));
            text.append(String.format(Locale.ROOT, "save %016x\n", tensor.save()));
            for (SavedChain chain : tensor.chains()) {
                for (SavedImage image : chain.images()) {
                    text.append(
                            image.equals(chain.last())
                                    ? "rows"
                                    : String.format(Locale.ROOT, "base %016x", image.save()));
                    text.append(String.format(
                            Locale.ROOT,
                            " %d %d %d %08x\n",
                            image.begin(),
                            image.end(),
                            image.bytes(),
                            image.checksum()));
                    String name =
                            String.format(Locale.ROOT, "%016x-%d-%d.shard", image.save(), image.begin(), image.end());
                    Files.write(folder.resolve(name), bytes(images.folder().file(image), image));
                }
            }
            Files.writeString(folder.resolve("manifest"), SealedText.seal(text.toString()));
        }
        ModelManifest manifest = images.manifest();
        ModelManifest byTensor = new ModelManifest(step, manifest.tensors(), List.of(), manifest.records());
        Files.writeString(to.resolve("model"), byTensor.text());
    }

    private static byte[] bytes(Path file, SavedImage image) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) image.bytes());
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            while (bytes.hasRemaining() && in.read(bytes, image.offset() + bytes.position()) >= 0) {}
        }
        return bytes.array();
    }
}
