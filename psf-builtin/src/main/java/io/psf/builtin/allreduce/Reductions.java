package io.psf.builtin.allreduce;

import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.builtin.optimizer.Shapes;
import io.psf.builtin.push.Workers;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;

/**
 * The open all-reduces of a shard, by number. The oldest one is combined in the shard's values: each worker's values as
 * soon as all lower ranks have sent theirs. Attached to the shard, used on its lane.
 */
final class Reductions implements MemberListener {
    /** The maximum number of open all-reduces: a worker whose calls time out opens further ones. */
    private static final int MOST_OPEN = 4;

    private final Shard shard;
    private final TreeMap<Long, OpenReduction> open = new TreeMap<>();
    private long next;
    private boolean closing;

    private Reductions(Shard shard) {
        this.shard = shard;
    }

    /** Makes the attachment of a shard that is the memory of an all-reduce. */
    static void attach(Shard shard) {
        var unused = shard.attachment(Reductions.class, () -> new Reductions(shard));
    }

    /**
     * Returns the attachment of a shard.
     *
     * @throws PsException with {@code BAD_REQUEST} if the shard is no memory of an all-reduce, but of a tensor whose
     *     values the all-reduce would replace
     */
    static Reductions require(Shard shard) {
        return shard.findAttachment(Reductions.class, () -> new Reductions(shard))
                .orElseThrow(() -> ReductionMemory.notMemory(shard.spec().id()));
    }

    /** Returns the number of the first all-reduce that has not ended. */
    long next() {
        return next;
    }

    /** Takes a worker's values. Does not wait for the other workers. */
    CompletionStage<ReduceValues.Response> add(ReduceValues.Request slice) {
        Shapes.requireDense(shard, slice.values());
        int worker = shard.call().worker();
        long number = slice.number();
        if (number < next) {
            throw refused(
                    "number of the all-reduce: " + number, "at least " + next + "; all-reduces before it have ended");
        }
        abandon(worker, number);
        OpenReduction there = open.get(number);
        if (there == null && open.size() == MOST_OPEN) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    "open all-reduces: " + (MOST_OPEN + 1) + " (expected: at most " + MOST_OPEN + ")");
        }
        OpenReduction reduction = there == null ? new OpenReduction(slice.operation(), this::waitsFor) : there;
        CompletionStage<ReduceValues.Response> answer =
                reduction.add(worker, slice.operation(), slice.values(), shard.requestRelease());
        open.put(number, reduction);
        membersChanged(shard.members());
        return answer;
    }

    /** Fails the all-reduces before a number that lack the worker's values: the worker sends them no more. */
    private void abandon(int worker, long number) {
        for (Map.Entry<Long, OpenReduction> each :
                List.copyOf(open.headMap(number).entrySet())) {
            if (!each.getValue().has(worker)) {
                open.remove(each.getKey());
                next = Math.max(next, each.getKey() + 1);
                each.getValue()
                        .fail(refused(
                                "all-reduce " + each.getKey() + ": worker " + worker + " has begun all-reduce "
                                        + number,
                                "the same number of calls of each worker"));
            }
        }
    }

    private String waitsFor() {
        Map.Entry<Long, OpenReduction> oldest = open.firstEntry();
        if (oldest == null) {
            return "";
        }
        Set<Integer> missing = new TreeSet<>(Workers.of(shard.members()));
        missing.removeIf(oldest.getValue()::has);
        return "workers that have not called all-reduce " + oldest.getKey() + ": " + missing
                + " (expected: none of those that are present)";
    }

    static PsException refused(String actual, String expected) {
        return new PsException(PsException.Code.BAD_REQUEST, actual + " (expected: " + expected + ")");
    }

    /** Closes the oldest all-reduces that all present workers have called. */
    @Override
    public void membersChanged(List<Member> members) {
        if (closing) {
            return; // re-entered: an answer released a worker's next call before all were answered
        }
        closing = true;
        try {
            boolean closed = false;
            while (!open.isEmpty()) {
                OpenReduction oldest = open.firstEntry().getValue();
                int missing = oldest.lowestMissing(members);
                if (missing < Integer.MAX_VALUE) {
                    if (!closed) { // the answer to the call being handled is still to be read from the values
                        oldest.combineBelow(missing, shard.values());
                    }
                    return;
                }
                next = open.pollFirstEntry().getKey() + 1;
                oldest.close(shard.values());
                closed = true;
            }
        } finally {
            closing = false;
        }
    }
}
