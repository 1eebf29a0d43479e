package io.psf.runtime.server.session;

import io.psf.api.PsException;
import io.psf.runtime.transport.Frame;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one worker that must not be run twice: those under way, and those whose answer the worker may not have
 * got, with the answer. What it says it is done with is forgotten. Thread-safe.
 */
final class Answers {
    private static final int MOST = 1 << 16;

    private final long bound;
    private final Admission admission;
    /** By number; the slices of one call are linked. In the order in which they came. */
    private final Map<Long, CallRecord> calls = new LinkedHashMap<>();

    /** What is not to be run if it comes, since nobody waits for it. */
    private final Finished finished = new Finished();

    private int size;
    private long bytes;
    /** The highest number of a call that was forgotten for want of room. */
    private long forgotten;

    /**
     * A memory.
     *
     * @param bound the most bytes of answers that are kept
     */
    Answers(long bound, Admission admission) {
        this.bound = bound;
        this.admission = admission;
    }

    /**
     * Takes note of a call before it is run.
     *
     * @return the same call, if it has come before: then it is not to be run
     * @throws PsException with {@code UNAVAILABLE} if it may have been run, and its answer is not kept any more; with
     *     {@code CANCELLED} if the worker has said that it is done with it
     */
    synchronized @Nullable CallRecord begin(CallRecord call) {
        Long number = call.call();
        CallRecord first = calls.get(number);
        if (first != null && call.slice() <= first.highestSlice()) { // they mostly come in order, and may be many
            for (CallRecord known = first; known != null; known = known.sibling()) {
                if (known.slice() == call.slice()) {
                    return known;
                }
            }
        }
        if (finished.contains(call.call())) { // overheard, say, and sent once more by another
            throw new PsException(
                    PsException.Code.CANCELLED,
                    "call " + call.call() + ": over (expected: one that its caller is not done with)");
        }
        if (call.attempt() > 0 && call.call() <= forgotten) {
            throw forgotten(call);
        }
        if (first == null) {
            calls.put(number, call);
        } else {
            call.link(first.sibling());
            first.link(call);
        }
        call.setKnown(true);
        size++;
        return null;
    }

    private PsException forgotten(CallRecord call) {
        return new PsException(
                PsException.Code.UNAVAILABLE,
                "call " + call.call() + ": sent again, its answer forgotten (expected: one of the latest " + MOST
                        + " calls, " + bound + " bytes of answers); it may have been run");
    }

    /** Keeps the answer of a call, unless the worker is done with it already. */
    synchronized void answered(CallRecord call, Frame answer) {
        if (!call.isKnown()) {
            return;
        }
        call.keep(answer.retain());
        count(answer.capacity());
        long most = admission.mostRemembered(bound);
        if (bytes > most || size > MOST) {
            forgetOldest(most);
        }
    }

    private void count(long more) {
        bytes += more;
        admission.remembered(more);
    }

    private void forgetOldest(long most) {
        for (Iterator<CallRecord> oldest = calls.values().iterator();
                oldest.hasNext() && (bytes > most || size > MOST); ) {
            CallRecord call = oldest.next();
            if (isAnswered(call)) {
                oldest.remove();
                drop(call);
                forgotten = Math.max(forgotten, call.call());
            }
        }
    }

    private static boolean isAnswered(CallRecord first) {
        for (CallRecord call = first; call != null; call = call.sibling()) {
            if (call.kept() == null) {
                return false;
            }
        }
        return true;
    }

    /** The answer of a call that has come before, for one more sending; null if it is still under way. */
    synchronized @Nullable Frame answer(CallRecord call) {
        Frame answer = call.kept();
        if (answer == null && !calls.containsKey(call.call())) { // forgotten just now
            throw forgotten(call);
        }
        return answer == null ? null : answer.retain();
    }

    /**
     * The worker is done with a call.
     *
     * @return whether all of it that came here had been answered
     */
    synchronized boolean done(long number) {
        finished.add(number);
        CallRecord call = calls.remove(number);
        if (call == null) {
            return false;
        }
        boolean answered = isAnswered(call);
        drop(call);
        return answered;
    }

    /**
     * The worker is done with every call of a smaller number.
     *
     * @return those of them that have not been answered: their caller gave them up
     */
    synchronized List<Long> doneBelow(long number) {
        finished.addBelow(number);
        List<Long> unanswered = new ArrayList<>();
        for (Iterator<CallRecord> oldest = calls.values().iterator(); oldest.hasNext(); ) {
            CallRecord call = oldest.next();
            if (call.call() >= number) {
                break;
            }
            oldest.remove();
            if (!isAnswered(call)) {
                unanswered.add(call.call());
            }
            drop(call);
        }
        return unanswered;
    }

    /** Forgets everything. */
    synchronized void clear() {
        calls.values().forEach(this::drop);
        calls.clear();
    }

    private void drop(CallRecord first) {
        for (CallRecord call = first; call != null; call = call.sibling()) {
            size--;
            call.setKnown(false);
            Frame answer = call.kept();
            if (answer != null) {
                count(-answer.capacity());
                answer.release();
                call.keep(null);
            }
        }
    }

    /** How many requests are kept in mind. */
    synchronized int size() {
        return size;
    }
}
