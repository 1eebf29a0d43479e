package io.psf.builtin.internal.partial;

import io.psf.api.PsException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** The workers of one open group, which wait until the wanted number of workers is ready. Used on the server's lane. */
final class PartialGroup {
    private final long number;
    private final int wanted;
    /** The waiting workers by rank, ascending. */
    private final Map<Integer, WaitingPartner> waiting = new TreeMap<>();

    private record WaitingPartner(int worker, CompletableFuture<PartialReducePartners.Response> answer) {}

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
                    "rank: " + rank + " (expected: a rank not waiting yet; waiting: " + waiting.keySet() + ")");
        }
        WaitingPartner mine = new WaitingPartner(worker, new CompletableFuture<>());
        waiting.put(rank, mine);
        return mine.answer();
    }

    boolean isComplete() {
        return waiting.size() == wanted;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Removes workers that have left or are lost, and calls that have timed out or were cancelled. */
    void retain(Set<Integer> workers) {
        waiting.values().removeIf(each -> each.answer().isDone() || !workers.contains(each.worker()));
    }

    /** Fails all waiting workers. */
    void fail(PsException reason) {
        waiting.values().forEach(each -> each.answer().completeExceptionally(reason));
    }

    /** Answers all waiting workers with the ranks of the group. */
    void close() {
        int[] ranks = waiting.keySet().stream().mapToInt(Integer::intValue).toArray();
        PartialReducePartners.Response partners = new PartialReducePartners.Response(number, ranks);
        waiting.values().forEach(each -> each.answer().complete(partners));
    }
}
