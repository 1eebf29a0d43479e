package io.psf.builtin.internal.allreduce;

import io.psf.api.DeferredAnswer;
import io.psf.api.PsException;
import io.psf.api.array.FloatArray;
import io.psf.builtin.push.DenseSums;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One all-reduce on a shard: the values of the workers that have called, and their answers. Values that wait for those
 * of lower ranks stay in their requests, uncopied. Used on the shard's lane.
 */
final class OpenReduction {
    private final Operation operation;
    /** The ranks of the workers that were present when the all-reduce was opened, and still are. */
    private final Set<Integer> counted;
    /** The answers by worker, in the order of arrival. */
    private final Map<Integer, CompletableFuture<ReduceValues.Response>> answers = new LinkedHashMap<>();
    /** The values that are not combined yet, by worker, in the order of the ranks. */
    private final TreeMap<Integer, Held> held = new TreeMap<>();

    private final DeferredAnswer.Reason waitsFor;
    private boolean begun;
    /** Why no call gets a result; null if they may. */
    private @Nullable PsException failure;

    /**
     * Values that are not combined yet.
     *
     * @param release releases the memory of their request
     */
    private record Held(FloatArray values, Runnable release) {}

    /**
     * Creates an all-reduce without values.
     *
     * @param counted the ranks of the workers that it is for
     * @param waitsFor says which workers have not called
     */
    OpenReduction(Operation operation, Set<Integer> counted, DeferredAnswer.Reason waitsFor) {
        this.operation = operation;
        this.counted = counted;
        this.waitsFor = waitsFor;
    }

    /** Counts only the workers that are present. */
    void retain(Set<Integer> present) {
        counted.retainAll(present);
    }

    /** Does not wait for a worker. */
    void uncount(int worker) {
        counted.remove(worker);
    }

    /** True if the worker is counted and has not called. */
    boolean waitsFor(int worker) {
        return counted.contains(worker) && !has(worker);
    }

    boolean has(int worker) {
        return answers.containsKey(worker);
    }

    CompletableFuture<ReduceValues.Response> add(int worker, Operation operation, FloatArray values, Runnable release) {
        if (operation != this.operation) {
            throw Reductions.refused("operation: " + operation, this.operation + ", as the other workers");
        }
        if (has(worker)) {
            throw Reductions.refused("second call of worker " + worker, "one call of each worker");
        }
        if (failure != null) {
            CompletableFuture<ReduceValues.Response> failed = CompletableFuture.failedFuture(failure);
            answers.put(worker, failed);
            return failed;
        }
        held.put(worker, new Held(values, release));
        CompletableFuture<ReduceValues.Response> answer = new DeferredAnswer<>(waitsFor);
        answers.put(worker, answer);
        return answer;
    }

    /** Returns the ranks of the workers that have not called. */
    Set<Integer> missing() {
        Set<Integer> missing = new TreeSet<>(counted);
        missing.removeIf(this::has);
        return missing;
    }

    /** Returns the lowest rank of the workers that have not called; {@code Integer.MAX_VALUE} if all have. */
    int lowestMissing() {
        int lowest = Integer.MAX_VALUE;
        for (int worker : counted) {
            lowest = has(worker) ? lowest : Math.min(lowest, worker);
        }
        return lowest;
    }

    /** Combines the values of the ranks below {@code rank}, and releases their requests. */
    void combineBelow(int rank, FloatArray into) {
        SortedMap<Integer, Held> lower = held.headMap(rank);
        if (lower.isEmpty()) {
            return;
        }
        List<FloatArray> values = new ArrayList<>();
        if (begun) {
            values.add(into);
        }
        lower.values().forEach(each -> values.add(each.values()));
        operation.combine(values, into);
        begun = true;
        lower.values().forEach(each -> each.release().run());
        lower.clear();
    }

    /** Fails the calls, those included that come later. */
    void giveUp(PsException why) {
        failure = why;
        drop(why);
    }

    /** Combines the remaining values, then answers the workers, the last caller at the end. */
    void close(FloatArray into) {
        if (failure != null) {
            return;
        }
        try {
            combineBelow(Integer.MAX_VALUE, into);
            if (operation == Operation.MEAN && answers.size() > 1) {
                DenseSums.divide(into, answers.size());
            }
        } catch (RuntimeException | Error e) {
            fail(e);
            return;
        }
        answers.values().forEach(answer -> answer.complete(new ReduceValues.Response(into)));
    }

    /** Fails the calls, and releases their requests. */
    void drop(Throwable failure) {
        held.values().forEach(each -> each.release().run());
        held.clear();
        fail(failure);
    }

    void fail(Throwable failure) {
        answers.values().forEach(answer -> answer.completeExceptionally(failure));
    }
}
