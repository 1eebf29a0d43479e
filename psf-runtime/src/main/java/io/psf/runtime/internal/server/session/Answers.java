package io.psf.runtime.internal.server.session;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Frame;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one worker that must not run twice: calls in flight, and calls whose answer the worker may not have
 * received, with the answer. A call that the worker has reported as done is dropped. Thread-safe.
 */
public final class Answers {
    private static final int MOST = 1 << 16;

    private final long bound;
    private final Admission admission;
    /** By number; the slices of one call are linked. In the order in which they came. */
    private final Map<Long, CallRecord> calls = new LinkedHashMap<>();

    /** Calls that must not run if they arrive, since their caller no longer waits for them. */
    private final Finished finished = new Finished();

    private int size;
    private long bytes;
    /** The highest number of a call that was evicted for lack of memory. */
    private long forgotten;

    /**
     * Creates an empty set.
     *
     * @param bound the maximum number of bytes of stored answers
     */
    Answers(long bound, Admission admission) {
        this.bound = bound;
        this.admission = admission;
    }

    /**
     * Records a call before it runs.
     *
     * @return the earlier request of the same call, if it has arrived before: then the call must not run
     * @throws PsException with {@code UNAVAILABLE} if the call may have run, and its answer has been evicted; with
     *     {@code CANCELLED} if the worker has already reported it as done
     */
    public synchronized @Nullable CallRecord begin(CallRecord call) {
        Long number = call.number();
        CallRecord first = calls.get(number);
        CallRecord known = first == null ? null : first.of(call.slice());
        if (known != null) {
            return known;
        }
        if (finished.contains(call.number())) { // for example overheard, and replayed by another sender
            throw new PsException(
                    PsException.Code.CANCELLED,
                    "call " + call.number() + ": its caller already has the answer (expected: a call that is"
                            + " still waiting)");
        }
        if (call.attempt() > 0 && call.number() <= forgotten) {
            throw forgotten(call);
        }
        if (first == null) {
            calls.put(number, call);
        } else {
            first.add(call);
        }
        call.setKnown(true);
        size++;
        return null;
    }

    /** Returns the request for a slice of a call that has arrived before; null if none is known. */
    public synchronized @Nullable CallRecord find(long number, int slice) {
        CallRecord first = calls.get(number);
        return first == null ? null : first.of(slice);
    }

    /** True if a request for a slice of that call has run only if {@link #find} knows it. */
    public synchronized boolean hasAllOf(long number) {
        return number > forgotten && !finished.contains(number);
    }

    private PsException forgotten(CallRecord call) {
        return new PsException(
                PsException.Code.UNAVAILABLE,
                "call " + call.number() + ": sent again, but its answer is no longer kept (expected: one of the"
                        + " latest " + MOST
                        + " calls, " + bound + " bytes of answers); the call may have run");
    }

    /**
     * Keeps the answer of a call, unless the worker is done with it already. A refusal is not kept: the call has not
     * run, and may come again for another layout.
     */
    public synchronized void answered(CallRecord call, Frame answer) {
        if (!call.isKnown()) {
            return;
        }
        if (answer.isRefusal()) {
            refused(call);
            return;
        }
        call.keep(answer.retain());
        count(answer.capacity());
        long most = admission.mostStored(bound);
        if (bytes > most || size > MOST) {
            forgetOldest(most);
        }
    }

    /** Drops a request that was refused: it has not run, and may come again. */
    private void refused(CallRecord call) {
        CallRecord left = Objects.requireNonNull(calls.get(call.number())).without(call);
        if (left == null) {
            calls.remove(call.number());
        } else {
            calls.put(call.number(), left);
        }
        call.setKnown(false);
        size--;
    }

    /** Counts what the numbers of finished calls take, and bounds it. */
    private void countFinished(long before) {
        if (finished.bytes() > before) {
            finished.narrow(admission.mostFinished());
        }
        if (finished.bytes() != before) {
            admission.count(finished.bytes() - before);
        }
    }

    private void count(long more) {
        bytes += more;
        admission.stored(more);
    }

    private void forgetOldest(long most) {
        for (Iterator<CallRecord> oldest = calls.values().iterator();
                oldest.hasNext() && (bytes > most || size > MOST); ) {
            CallRecord call = oldest.next();
            if (isAnswered(call)) {
                oldest.remove();
                drop(call);
                forgotten = Math.max(forgotten, call.number());
            }
        }
    }

    private static boolean isAnswered(CallRecord first) {
        return first.kept() != null && first.others().stream().allMatch(call -> call.kept() != null);
    }

    /** The answer of a call that has come before, for one more sending; null if it is still under way. */
    public synchronized @Nullable Frame answer(CallRecord call) {
        Frame answer = call.kept();
        if (answer == null && !calls.containsKey(call.number())) { // evicted just now
            throw forgotten(call);
        }
        return answer == null ? null : answer.retain();
    }

    /**
     * Drops a call that the worker has reported as done.
     *
     * @return true if every slice that arrived here had been answered
     */
    public synchronized boolean done(long number) {
        long before = finished.bytes();
        finished.add(number);
        countFinished(before);
        CallRecord call = calls.remove(number);
        if (call == null) {
            return false;
        }
        boolean answered = isAnswered(call);
        drop(call);
        return answered;
    }

    /**
     * Drops every call with a smaller number: the worker has reported them all as done.
     *
     * @return the calls that were not answered: their caller cancelled them
     */
    public synchronized List<Long> doneBelow(long number) {
        long before = finished.bytes();
        finished.addBelow(number);
        countFinished(before);
        List<Long> unanswered = new ArrayList<>();
        for (Iterator<CallRecord> oldest = calls.values().iterator(); oldest.hasNext(); ) {
            CallRecord call = oldest.next();
            if (call.number() >= number) {
                break;
            }
            oldest.remove();
            if (!isAnswered(call)) {
                unanswered.add(call.number());
            }
            drop(call);
        }
        return unanswered;
    }

    /**
     * Returns the kept answers of calls on a slice, each with an owner more.
     *
     * @param tensor the number of the tensor's name
     */
    public synchronized List<Frame> kept(int tensor, int slice) {
        List<Frame> kept = new ArrayList<>();
        for (CallRecord first : calls.values()) {
            CallRecord call = first.of(slice);
            Frame answer = call == null ? null : call.kept();
            if (answer != null && answer.tensor() == tensor) {
                kept.add(answer.retain());
            }
        }
        return kept;
    }

    /**
     * Keeps the answer of a call that ran elsewhere, unless the worker is done with it.
     *
     * @param answer owned by this object from now on
     */
    public synchronized void keep(Frame answer) {
        try {
            CallRecord call = new CallRecord(answer.call(), answer.slice(), 0);
            if (!finished.contains(answer.call()) && begin(call) == null) {
                if (answer.status() != PsException.Code.OK) {
                    String why = answer.reader(null).string();
                    call.completion().failed(new PsException(answer.status(), why));
                }
                call.completion().answered();
                answered(call, answer);
            }
        } finally {
            answer.release();
        }
    }

    /** Returns the highest number of a call whose answer was forgotten; 0 for none. */
    public synchronized long forgotten() {
        return forgotten;
    }

    /** Refuses calls up to a number that are sent again and have no answer here: they may have run elsewhere. */
    public synchronized void forgetUpTo(long call) {
        forgotten = Math.max(forgotten, call);
    }

    /** Drops all calls. */
    synchronized void clear() {
        calls.values().forEach(this::drop);
        calls.clear();
        admission.count(-finished.bytes());
        finished.addBelow(Long.MAX_VALUE); // from now on it takes nothing
    }

    private void drop(CallRecord first) {
        dropOne(first);
        first.others().forEach(this::dropOne);
    }

    private void dropOne(CallRecord call) {
        size--;
        call.setKnown(false);
        Frame answer = call.kept();
        if (answer != null) {
            count(-answer.capacity());
            answer.release();
            call.keep(null);
        }
    }

    /** Returns the number of recorded requests. */
    public synchronized int size() {
        return size;
    }
}
