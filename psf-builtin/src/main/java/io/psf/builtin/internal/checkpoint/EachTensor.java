package io.psf.builtin.internal.checkpoint;

import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.spi.StoredShard;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Work on the shards of many tensors that a server holds, each on its lane. Some tensors are worked on at a time, so
 * that other calls get their turns on the lanes in between. Used on the node's lane.
 *
 * @param <T> what the work makes of a shard
 */
final class EachTensor<T> {
    /** The most tensors that are worked on at a time: enough to keep many lanes busy. */
    static final int MANY = 32;

    /** The most tensors of long work, so that a call waits for few pieces of it. */
    static final int FEW = 4;

    private final Node node;
    private final int atOnce;
    private final Function<StoredShard, @Nullable T> work;
    private final Function<TensorId, CompletionStage<?>> again;
    private final Deque<TensorId> next;
    private final List<T> results = new ArrayList<>();
    private final CompletableFuture<List<T>> all = new CompletableFuture<>();
    private int running;
    private boolean starting;
    private @Nullable Throwable failure;

    private EachTensor(
            Node node,
            int atOnce,
            Collection<TensorId> tensors,
            Function<StoredShard, @Nullable T> work,
            Function<TensorId, CompletionStage<?>> again) {
        this.node = node;
        this.atOnce = atOnce;
        this.next = new ArrayDeque<>(tensors);
        this.work = work;
        this.again = again;
    }

    /**
     * Starts the work. Called within the handler of a call.
     *
     * @param atOnce the most tensors that are worked on at a time
     * @param tensors the tensors; a tensor of which the server holds no shard is passed over
     * @return the results of all shards, when none is worked on any more; fails with the first failure, after which no
     *     further tensor is begun
     * @throws PsException with {@code BAD_REQUEST} if one of them is the memory of a function
     */
    static <T> CompletionStage<List<T>> run(
            Node node, int atOnce, List<TensorId> tensors, Function<StoredShard, T> work) {
        return run(node, atOnce, tensors, work, tensor -> CompletableFuture.completedFuture(null));
    }

    /**
     * Starts work that is done in parts.
     *
     * @param work returns null if it is not done: it is run again, on all shards of the tensor, when other calls have had
     *     their turns
     * @param again what the next part of the work on a tensor waits for; completed on the node's lane
     */
    static <T> CompletionStage<List<T>> run(
            Node node,
            int atOnce,
            List<TensorId> tensors,
            Function<StoredShard, @Nullable T> work,
            Function<TensorId, CompletionStage<?>> again) {
        Set<TensorId> held =
                node.shards().stream().map(shard -> shard.tensor().id()).collect(Collectors.toSet());
        for (TensorId tensor : tensors) {
            if (!held.contains(tensor)) {
                var unused = node.onShards(tensor, Shard::slice); // refused if it is memory of a function
            }
        }
        EachTensor<T> each = new EachTensor<>(
                node, atOnce, tensors.stream().filter(held::contains).toList(), work, again);
        each.start();
        return each.all;
    }

    private void start() {
        if (starting) {
            return; // the loop below goes on
        }
        starting = true;
        while (running < atOnce && failure == null && !next.isEmpty()) {
            running++;
            run(next.remove());
        }
        starting = false;
        if (running == 0) {
            end();
        }
    }

    private void run(TensorId tensor) {
        try {
            node.<@Nullable T>onShards(tensor, shard -> work.apply(stored(shard)))
                    .whenComplete((some, why) -> ended(tensor, some, why));
        } catch (PsException e) {
            ended(tensor, null, e);
        }
    }

    private void ended(TensorId tensor, @Nullable List<@Nullable T> some, @Nullable Throwable why) {
        boolean isDone = some == null || some.stream().allMatch(Objects::nonNull);
        if (!isDone && failure == null) {
            var unused = again.apply(tensor).whenComplete((ready, none) -> run(tensor));
            return;
        }
        running--;
        if (some != null && isDone) {
            some.forEach(each -> results.add(Objects.requireNonNull(each)));
        }
        if (why != null && failure == null) {
            failure = why instanceof CompletionException && why.getCause() != null ? why.getCause() : why;
        }
        start();
    }

    private void end() {
        if (failure != null) {
            all.completeExceptionally(failure);
        } else {
            all.complete(results);
        }
    }

    private static StoredShard stored(Shard shard) {
        if (shard instanceof StoredShard stored) {
            return stored;
        }
        throw new PsException(
                PsException.Code.UNKNOWN_FUNCTION,
                "shard of tensor \"" + shard.spec().id() + "\": "
                        + shard.getClass().getName() + " (expected: a kind of shard that is saved and loaded, "
                        + StoredShard.class.getSimpleName() + ")");
    }
}
