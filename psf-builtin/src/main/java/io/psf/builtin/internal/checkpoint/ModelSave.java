package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.StoredNode;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.ImageRows;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The save of a model, as each server does it. The lanes write the images: images of up to {@value #PACKED} bytes to
 * packs, each larger image to a pack of its own. Then a thread that is no lane forces the files to the disk and writes
 * the index.
 */
final class ModelSave {
    private static final Logger LOG = LoggerFactory.getLogger(ModelSave.class);

    /** The most bytes of an image in a pack, without attachments. */
    private static final long PACKED = 4 << 20;

    private final StoredNode node;
    private final FreezeModel.Request request;
    private final ModelSteps steps;
    private final Folder folder;
    /** The beginning of the names of this server's files. */
    private final String prefix;

    private final Packs packs;
    private final @Nullable ModelImages base;
    private final CompletableFuture<List<WrittenFiles>> written = new CompletableFuture<>();

    ModelSave(StoredNode node, FreezeModel.Request request) {
        this.node = node;
        this.request = request;
        this.steps = ModelSteps.of(node.checkpoints(), request.model());
        this.folder = steps.folder();
        this.prefix = CheckpointPath.step(request.step())
                + String.format(Locale.ROOT, "/%016x-%d", request.save(), node.rank());
        this.packs = new Packs(folder, prefix);
        this.base = request.base() < 0 ? null : base();
    }

    /**
     * The images of a slice.
     *
     * @param bytes the bytes that were written
     */
    private record Written(ServerIndex.Slice slice, long bytes) {}

    /** Returns the step that increments may build on; null if it has changed or cannot be read. */
    private @Nullable ModelImages base() {
        try {
            ModelImages images = steps.read(request.base());
            return images.manifest().checksum() == request.baseChecksum() ? images : null;
        } catch (PsException e) {
            LOG.warn("all rows are saved, since nothing can build on step {}: {}", request.base(), e.detail());
            return null;
        }
    }

    /**
     * Copies the shards to files that may not be on the disk yet. The rest is done by a thread of its own.
     *
     * @return completed when all shards are copied
     */
    CompletionStage<Void> freeze() {
        return EachTensor.run(node, tensors(), this::write).handle((images, failure) -> {
            try {
                node.runApart("psf-save", () -> end(images, failure));
            } catch (Throwable e) { // such as an OutOfMemoryError: no native thread
                fail(e);
            }
            if (images == null) {
                throw new CompletionException(failure);
            }
            return null;
        });
    }

    private List<TensorId> tensors() {
        return request.tensors().isEmpty()
                ? node.shards().stream()
                        .map(shard -> shard.tensor().id())
                        .distinct()
                        .toList()
                : request.tensors();
    }

    /** Returns the index of what was written, if anything was; completed on any thread. */
    CompletableFuture<List<WrittenFiles>> written() {
        return written;
    }

    private void end(@Nullable List<Written> images, @Nullable Throwable failure) {
        try {
            if (images == null) {
                throw failure == null ? new IllegalStateException("no images") : failure;
            }
            written.complete(images.isEmpty() ? List.of() : List.of(finish(images)));
        } catch (Throwable e) { // passed on to the caller
            fail(e);
        }
    }

    private void fail(Throwable why) {
        try {
            packs.abandon();
        } finally {
            written.completeExceptionally(why);
        }
    }

    /** Writes the image of a shard, on its lane. */
    private Written write(StoredShard shard) {
        ImageHeader header = ImageHeader.of(request.save(), shard);
        Increments.Plan plan = request.increments() == 0
                ? Increments.Plan.ALL
                : Increments.plan(base(shard.spec()), request.increments(), header, shard);
        Packs.Packed packed = packed(header, plan.rows(), shard);
        SavedImage image = packed.image();
        SavedChain chain = SavedChain.of(plan.bases(), image);
        if (request.increments() > 0) {
            Map<SavedImage, KnownFile> files = new HashMap<>(plan.files());
            files.put(image, packed.file());
            SavedStates.of(shard).add(SavedStates.Saved.of(shard, folder.model(), header, files));
        }
        return new Written(new ServerIndex.Slice(shard.spec(), chain), image.bytes());
    }

    private Packs.Packed packed(ImageHeader header, ImageRows rows, StoredShard shard) {
        try {
            return header.bytesWith(rows) <= PACKED ? packs.add(header, rows, shard) : packs.alone(header, rows, shard);
        } catch (IOException e) {
            throw Folder.failure("writing " + folder.place(prefix + "-*" + Pack.SUFFIX), e);
        }
    }

    private Increments.@Nullable Base base(TensorInfo tensor) {
        TensorImages images =
                base == null ? null : base.tensors().get(tensor.id().name());
        return base == null || images == null || !images.tensor().shape().equals(tensor.shape())
                ? null
                : new Increments.Base(steps.name(request.base()), folder, images);
    }

    private long lengthBefore(SavedImage image) {
        return Objects.requireNonNull(Objects.requireNonNull(base).lengths().get(image.file()));
    }

    private WrittenFiles finish(List<Written> images) {
        Map<String, Long> lengths;
        try {
            lengths = new HashMap<>(packs.finish());
        } catch (IOException e) {
            throw Folder.failure("writing " + folder.place(prefix + "-*" + Pack.SUFFIX), e);
        }
        for (Written each : images) {
            for (SavedImage image : each.slice().chain().images()) {
                if (image.save() != request.save()) {
                    lengths.put(image.file(), lengthBefore(image));
                }
            }
        }
        List<ServerIndex.Slice> slices = images.stream()
                .map(Written::slice)
                .sorted(Comparator.comparing(
                                (ServerIndex.Slice slice) -> slice.tensor().id().name())
                        .thenComparing(slice -> slice.chain().begin()))
                .toList();
        String text = new ServerIndex(request.save(), lengths, slices).text();
        String file = prefix + ServerIndex.SUFFIX;
        folder.publish(file, text);
        SavedIndex index =
                new SavedIndex(file, text.getBytes(StandardCharsets.UTF_8).length, SealedText.checksum(text));
        List<SavedTensor> tensors = slices.stream()
                .map(ServerIndex.Slice::tensor)
                .map(each -> new SavedTensor(each.id().name(), each.rows(), each.width(), request.save()))
                .distinct()
                .toList();
        return new WrittenFiles(
                index,
                images.stream().mapToLong(Written::bytes).sum(),
                (int) slices.stream()
                        .filter(slice -> slice.chain().last().bases() > 0)
                        .count(),
                tensors);
    }
}
