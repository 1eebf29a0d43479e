package io.psf.builtin.partial;

import io.psf.builtin.push.Workers;
import io.psf.api.PsException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Workers that wait for each other until they are as many as wanted. */
final class PartialGroup {
    private final long number;
    private final int wanted;
    /** By rank, ascending. */
    private final Map<Integer, Waiting> waiting = new TreeMap<>();

    private record Waiting(int worker, CompletableFuture<PartialReducePartners.Response> answer) {}

    PartialGroup(long number, int wanted) {
        this.number = number;
        this.wanted = wanted;
    }

    CompletableFuture<PartialReducePartners.Response> add(int rank, int wanted, int worker) {
        if (wanted != this.wanted) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "wanted: " + wanted + " (expected: " + this.wanted + ", with which the group was opened)");
        }
        if (waiting.containsKey(rank)) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "rank: " + rank + " (expected: one that has not come yet; " + waiting.keySet() + " have)");
        }
        Waiting mine = new Waiting(worker, new CompletableFuture<>());
        waiting.put(rank, mine);
        return mine.answer();
    }

    boolean isComplete() {
        return waiting.size() == wanted;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Forgets workers that are not there any more, and calls that have timed out or were given up. */
    void retain(Set<Integer> workers) {
        waiting.values().removeIf(each -> each.answer().isDone() || !workers.contains(each.worker()));
    }

    /** Tells everybody who they are. */
    void close() {
        int[] ranks = waiting.keySet().stream().mapToInt(Integer::intValue).toArray();
        PartialReducePartners.Response partners = new PartialReducePartners.Response(number, ranks);
        waiting.values().forEach(each -> each.answer().complete(partners));
    }
}
