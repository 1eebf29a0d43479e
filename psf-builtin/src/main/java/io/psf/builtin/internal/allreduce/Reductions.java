package io.psf.builtin.internal.allreduce;

import io.psf.api.DeferredAnswer.Reason;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.builtin.optimizer.Shapes;
import io.psf.builtin.push.Renumbering;
import io.psf.builtin.push.WaitingCalls;
import io.psf.builtin.push.Workers;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The open all-reduces of a shard, by number. The oldest one is combined in the shard's values: each worker's values as
 * soon as all lower ranks have sent theirs. Attached to the shard, used on its lane.
 */
final class Reductions extends WaitingCalls {
    /** The maximum number of open all-reduces: a worker whose calls time out opens further ones. */
    private static final int MOST_OPEN = 4;

    private final Shard shard;
    private final Reason waitsFor = Reason.of(this::waitedFor, this::missing);
    private final TreeMap<Long, OpenReduction> open = new TreeMap<>();
    /** The workers that have called. */
    private final Set<Integer> known = new HashSet<>();

    private final Renumbering numbers = new Renumbering();
    /** The ranks of the workers that have joined and do not call yet, or have ended the epoch. */
    private final Set<Integer> paused = new HashSet<>();

    private long next;
    private boolean closing;

    private Reductions(Shard shard) {
        super(shard::members);
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

    /** Returns the number of the first all-reduce that is for a worker and that it has not called. */
    long next(int worker) {
        long number = next;
        for (Map.Entry<Long, OpenReduction> each : open.entrySet()) {
            if (each.getValue().waitsFor(worker)) {
                return numbers.own(worker, each.getKey());
            }
            number = each.getKey() + 1;
        }
        return numbers.own(worker, number);
    }

    /** Takes a worker's values. Does not wait for the other workers. */
    CompletionStage<ReduceValues.Response> add(ReduceValues.Request slice) {
        Shapes.requireDense(shard, slice.values());
        int worker = Workers.rank(shard.call(), "all-reduce");
        requireNotAbandoned();
        long number = numbers.here(worker, slice.number());
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
        OpenReduction reduction =
                there == null ? new OpenReduction(slice.operation(), counted(worker), waitsFor) : there;
        CompletableFuture<ReduceValues.Response> answer =
                reduction.add(worker, slice.operation(), slice.values(), shard.requestRelease());
        open.put(number, reduction);
        var unused = answer.whenComplete((combined, failure) -> timedOut(worker, number, failure));
        closeOldest();
        return answer;
    }

    /**
     * Fails an all-reduce of which a call has timed out: its worker may send the values again, with the next number.
     */
    private void timedOut(int worker, long number, @Nullable Throwable failure) {
        OpenReduction reduction = open.get(number);
        if (reduction != null
                && failure instanceof PsException why
                && why.code() == PsException.Code.TIMED_OUT
                && reduction.has(worker)) {
            reduction.giveUp(refused(
                    "all-reduce " + number + ": the call of worker " + worker + " has timed out",
                    "all calls wait until the last worker has called"));
        }
    }

    private Set<Integer> counted(int worker) {
        Set<Integer> counted = Workers.of(shard.members());
        counted.removeAll(paused);
        counted.add(worker); // which this shard may not know yet
        return counted;
    }

    /**
     * Fails the all-reduces before a number that lack the worker's values: the worker sends them no more. The first one
     * of a worker that has joined later may be behind some that this shard has opened since then: they are not for it.
     */
    private void abandon(int worker, long number) {
        if (known.add(worker)) {
            open.headMap(number).values().forEach(each -> each.uncount(worker));
            closeOldest();
        }
        for (Map.Entry<Long, OpenReduction> each :
                List.copyOf(open.headMap(number).entrySet())) {
            if (each.getValue().waitsFor(worker)) {
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

    @Override
    public void pause(int worker) {
        paused.add(worker);
        open.values().forEach(each -> each.uncount(worker));
        closeOldest();
    }

    @Override
    public void resume(Set<Integer> workers) {
        paused.removeAll(workers);
        numbers.restart(workers, next);
    }

    @Override
    protected void begin(boolean loaded, Set<Integer> workers) {
        drop(dropped("all-reduce \"" + shard.spec().id() + "\""));
        resume(workers);
    }

    @Override
    protected void drop(PsException reason) {
        List<OpenReduction> dropped = List.copyOf(open.values());
        next = open.isEmpty() ? next : open.lastKey() + 1;
        open.clear();
        dropped.forEach(each -> each.drop(reason));
    }

    private Set<Integer> missing() {
        return open.isEmpty() ? Set.of() : open.firstEntry().getValue().missing();
    }

    private String waitedFor() {
        Map.Entry<Long, OpenReduction> oldest = open.firstEntry();
        if (oldest == null) {
            return "";
        }
        return "workers that have not called all-reduce " + oldest.getKey() + ": "
                + oldest.getValue().missing()
                + " (expected: none of the workers that were present at its first call)";
    }

    static PsException refused(String actual, String expected) {
        return new PsException(PsException.Code.BAD_REQUEST, actual + " (expected: " + expected + ")");
    }

    @Override
    protected void changed(List<Member> members, Set<Integer> present) {
        numbers.retain(present);
        paused.retainAll(present);
        if (!open.isEmpty() || !known.isEmpty()) {
            known.retainAll(present);
            open.values().forEach(each -> each.retain(present));
            closeOldest();
        }
    }

    /** Closes the oldest all-reduces that all their workers have called. */
    private void closeOldest() {
        if (closing) {
            return; // re-entered: an answer released a worker's next call before all were answered
        }
        closing = true;
        try {
            boolean closed = false;
            while (!open.isEmpty()) {
                OpenReduction oldest = open.firstEntry().getValue();
                int missing = oldest.lowestMissing();
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
