package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.Restartable;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.push.Workers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The images of a model at a step.
 *
 * @param manifest the manifest of the step
 * @param folder the folder of the model
 * @param tensors the images of each tensor, by its name
 * @param lengths the length of each file, by its name in that folder
 */
record ModelImages(
        ModelManifest manifest, Folder folder, Map<String, TensorImages> tensors, Map<String, Long> lengths) {
    /**
     * Reads the indexes of a step.
     *
     * @throws PsException with {@code STORAGE}, naming the file, if one is missing or damaged
     */
    static ModelImages read(Folder folder, ModelManifest manifest) {
        ModelImages images = new ModelImages(manifest, folder, new LinkedHashMap<>(), new HashMap<>());
        images.addIndexes();
        return images;
    }

    StepFiles files() {
        return new StepFiles(folder, manifest, lengths);
    }

    private void addIndexes() {
        Map<String, List<ServerIndex.Slice>> slices = new HashMap<>();
        for (SavedIndex each : manifest.indexes()) {
            ServerIndex index = read(each);
            lengths.put(each.file(), each.bytes());
            lengths.putAll(index.lengths());
            for (ServerIndex.Slice slice : index.slices()) {
                slices.computeIfAbsent(slice.tensor().id().name(), name -> new ArrayList<>(2))
                        .add(slice);
            }
        }
        for (SavedTensor each : manifest.tensors()) {
            List<ServerIndex.Slice> ofTensor = slices.getOrDefault(each.tensor(), List.of());
            ofTensor.forEach(slice -> requireSave(slice.chain().last().save(), each.save()));
            List<SavedChain> chains = ofTensor.stream()
                    .map(ServerIndex.Slice::chain)
                    .sorted(Comparator.comparingLong(SavedChain::begin))
                    .toList();
            TensorInfo info = new TensorInfo(TensorId.of(each.tensor()), each.rows(), each.width());
            TensorImages images = new TensorImages(info, each.save(), chains);
            images.requireWhole(place());
            tensors.put(each.tensor(), images);
        }
    }

    private ServerIndex read(SavedIndex index) {
        try {
            String text = folder.text(index.file());
            long bytes = text.getBytes(StandardCharsets.UTF_8).length;
            if (bytes != index.bytes() || SealedText.checksum(text) != index.checksum()) {
                throw new IllegalArgumentException(bytes
                        + String.format(
                                Locale.ROOT,
                                " bytes with the CRC32C %08x, not %d with %08x",
                                SealedText.checksum(text),
                                index.bytes(),
                                index.checksum()));
            }
            return ServerIndex.parse(text);
        } catch (IllegalArgumentException e) {
            throw folder.damaged(index.file(), e);
        } catch (IOException e) {
            throw folder.unreadable(index.file(), e);
        }
    }

    private String place() {
        return folder.place(CheckpointNames.step(manifest.step()));
    }

    private void requireSave(long found, long expected) {
        if (found != expected) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    place()
                            + String.format(
                                    Locale.ROOT,
                                    ": save %016x (expected: %016x, as in the manifest of the model)",
                                    found,
                                    expected));
        }
    }

    /**
     * Loads a shard, or verifies what would be loaded.
     *
     * @param checkpoint the name of the step's checkpoint, for messages
     * @param dryRun true if the images are only verified
     * @param scope what the load replaces
     * @return true
     * @throws PsException as {@link ShardLoad#run}, and with {@code BAD_REQUEST} if the step does not have the tensor
     */
    boolean load(StoredShard shard, String checkpoint, boolean dryRun, LoadScope scope) {
        TensorImages tensor = tensors.get(shard.spec().id().name());
        if (tensor == null) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "tensor \"" + shard.spec().id() + "\": not in checkpoint \"" + checkpoint
                            + "\" (expected: a tensor that was saved there)");
        }
        new ShardLoad(checkpoint, folder, tensor).run(shard, dryRun, scope == LoadScope.STATES);
        if (scope == LoadScope.MODEL && !dryRun) {
            restart(shard);
        }
        return true;
    }

    private static void restart(StoredShard shard) {
        for (Object each : shard.attachments().all()) {
            if (each instanceof Restartable waiting) {
                waiting.restart(true, Workers.of(shard.members()));
            }
        }
    }
}
