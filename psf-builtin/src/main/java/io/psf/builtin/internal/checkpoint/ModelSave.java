package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.StoredNode;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.push.Stages;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The save of a model, as each server does it. The lanes write the images, in turns with other calls. Then a thread that
 * is no lane forces the files to the disk and writes the index.
 */
final class ModelSave {
    private static final Logger LOG = LoggerFactory.getLogger(ModelSave.class);

    /** The part of the heap that rows may take which are changed before they are copied. */
    private static final double MOST_KEPT = 1 / 16.;

    private final StoredNode node;
    private final FreezeModel.Request request;
    private final ModelSteps steps;
    private final Folder folder;
    /** The beginning of the names of this server's files. */
    private final String prefix;

    private final Packs packs;
    private final @Nullable ModelImages base;
    /** The slices whose copies have begun; added to on their lanes. */
    private final Collection<SliceCopy> begun = new ConcurrentLinkedQueue<>();

    private final CompletableFuture<List<WrittenFiles>> written = new CompletableFuture<>();

    ModelSave(StoredNode node, FreezeModel.Request request) {
        this.node = node;
        this.request = request;
        this.steps = ModelSteps.of(node.checkpoints(), request.model());
        this.folder = steps.folder();
        this.prefix = CheckpointNames.step(request.step())
                + String.format(Locale.ROOT, "/%016x-%d", request.save(), node.rank());
        this.packs = new Packs(node, folder, prefix);
        this.base = request.base() < 0 ? null : base();
    }

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
     * Begins to copy the shards to files. The rest is done by other work on their lanes, and a thread of its own.
     *
     * @return completed when calls may change the shards
     */
    CompletionStage<Void> freeze() {
        double kept = Runtime.getRuntime().maxMemory()
                * MOST_KEPT
                / Math.max(1, node.tensorMemory().bytes());
        CompletionStage<List<SliceCopy>> frozen =
                EachTensor.run(node, EachTensor.MANY, tensors(), shard -> begin(shard, kept));
        var unused = frozen.thenCompose(this::copy).whenComplete((copies, failure) -> {
            try {
                var unusedEnd = node.runApart("psf-save", () -> end(copies, failure));
            } catch (Throwable e) { // such as an OutOfMemoryError: no native thread
                fail(e);
            }
        });
        return frozen.thenApply(done -> null);
    }

    /** Goes on with copies, some tensors at a time, until all are written. */
    private CompletionStage<List<SliceCopy>> copy(List<SliceCopy> copies) {
        IdentityHashMap<StoredShard, SliceCopy> underWay = new IdentityHashMap<>();
        Map<TensorId, List<SliceCopy>> byTensor = new LinkedHashMap<>();
        for (SliceCopy each : copies) {
            if (!each.isWritten()) {
                underWay.put(each.shard(), each);
                byTensor.computeIfAbsent(each.shard().spec().id(), tensor -> new ArrayList<>())
                        .add(each);
            }
        }
        return EachTensor.<Boolean>run(
                        node,
                        EachTensor.FEW,
                        List.copyOf(byTensor.keySet()),
                        shard -> turn(underWay.get(shard)),
                        tensor -> room(Objects.requireNonNull(byTensor.get(tensor))))
                .thenApply(done -> copies);
    }

    /** Completed, on the node's lane, when the files of slices have room for more. */
    private CompletionStage<Void> room(List<SliceCopy> slices) {
        CompletableFuture<?>[] all =
                slices.stream().map(each -> each.room().toCompletableFuture()).toArray(CompletableFuture<?>[]::new);
        CompletableFuture<Void> ready = CompletableFuture.allOf(all);
        return ready.isDone() ? ready : node.onLane(ready);
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

    private void end(@Nullable List<SliceCopy> copies, @Nullable Throwable failure) {
        try {
            if (copies == null) {
                throw failure == null ? new IllegalStateException("no images") : Stages.cause(failure);
            }
            written.complete(copies.isEmpty() ? List.of() : List.of(finish(copies)));
        } catch (Throwable e) { // passed on to the caller
            fail(e);
        }
    }

    private void fail(Throwable why) {
        begun.forEach(SliceCopy::cancel);
        try {
            packs.abandon();
        } finally {
            written.completeExceptionally(why);
        }
    }

    /** Begins to copy a shard, on its lane. */
    private SliceCopy begin(StoredShard shard, double kept) {
        ImageHeader header = ImageHeader.of(request.save(), shard);
        Increments.Plan plan = request.increments() == 0
                ? Increments.Plan.ALL
                : Increments.plan(base(shard.spec()), request.increments(), header, shard);
        SliceCopy copy = new SliceCopy(header, plan, shard, packs);
        begun.add(copy);
        writing(() -> copy.begin(kept));
        if (request.increments() > 0) {
            SavedStates.of(shard).add(SavedStates.Saved.of(shard, folder.model(), header, copy.files()));
        }
        return copy;
    }

    /** Goes on with the copy of a shard, on its lane. Returns null if there is more to copy. */
    private @Nullable Boolean turn(@Nullable SliceCopy copy) {
        if (copy == null) {
            return true;
        }
        writing(copy::turn);
        return copy.isWritten() ? true : null;
    }

    /** Work that writes to files. */
    private interface Writing {
        void run() throws IOException;
    }

    private void writing(Writing work) {
        try {
            work.run();
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

    private WrittenFiles finish(List<SliceCopy> copies) {
        Map<String, Long> lengths = new HashMap<>();
        writing(() -> lengths.putAll(packs.finish()));
        for (SliceCopy each : copies) {
            for (SavedImage image : each.slice().chain().images()) {
                if (image.save() != request.save()) {
                    lengths.put(image.file(), lengthBefore(image));
                }
            }
        }
        List<ServerIndex.Slice> slices = copies.stream()
                .map(SliceCopy::slice)
                .sorted(Comparator.comparing(
                                (ServerIndex.Slice slice) -> slice.tensor().id().name())
                        .thenComparing(slice -> slice.chain().begin()))
                .toList();
        SavedIndex index = new ServerIndex(request.save(), lengths, slices).publish(folder, prefix);
        List<SavedTensor> tensors = slices.stream()
                .map(ServerIndex.Slice::tensor)
                .map(each -> new SavedTensor(each.id().name(), each.rows(), each.width(), request.save()))
                .distinct()
                .toList();
        return new WrittenFiles(
                index,
                slices.stream().mapToLong(each -> each.chain().last().bytes()).sum(),
                (int) slices.stream()
                        .filter(slice -> slice.chain().last().bases() > 0)
                        .count(),
                tensors);
    }
}
