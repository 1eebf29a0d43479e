package io.psf.runtime.server;

import io.psf.api.PsException;
import io.psf.runtime.call.Frame;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one worker that must not run twice: calls in flight, and calls whose answer the worker may not have
 * received, with the answer. A call that the worker has reported as done is dropped. Thread-safe.
 */
final class Answers {
    private static final int MOST = 1 << 16;

    private final long bound;
    private final Admission admission;
    /** By call number, in order of arrival. The slices of one call are linked. */
    private final Map<Long, Invocation> calls = new LinkedHashMap<>();

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
    synchronized @Nullable Invocation begin(Invocation call) {
        Long number = call.call();
        Invocation first = calls.get(number);
        if (first != null && call.slice() <= first.highestSlice()) { // slices mostly arrive in order, and may be many
            for (Invocation known = first; known != null; known = known.sibling()) {
                if (known.slice() == call.slice()) {
                    return known;
                }
            }
        }
        if (finished.contains(call.call())) { // for example overheard, and replayed by another sender
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

    private PsException forgotten(Invocation call) {
        return new PsException(
                PsException.Code.UNAVAILABLE,
                "call " + call.call() + ": sent again, its answer forgotten (expected: one of the latest " + MOST
                        + " calls, " + bound + " bytes of answers); it may have been run");
    }

    /**
     * Stores the answer of a call, unless the worker has reported the call as done already. May evict older answers.
     */
    synchronized void answered(Invocation call, Frame answer) {
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
        for (Iterator<Invocation> oldest = calls.values().iterator();
                oldest.hasNext() && (bytes > most || size > MOST); ) {
            Invocation call = oldest.next();
            if (isAnswered(call)) {
                oldest.remove();
                drop(call);
                forgotten = Math.max(forgotten, call.call());
            }
        }
    }

    private static boolean isAnswered(Invocation first) {
        for (Invocation call = first; call != null; call = call.sibling()) {
            if (call.kept() == null) {
                return false;
            }
        }
        return true;
    }

    /** Returns the answer of a call that has arrived before, to be sent again; null if the call is still in flight. */
    synchronized @Nullable Frame answer(Invocation call) {
        Frame answer = call.kept();
        if (answer == null && !calls.containsKey(call.call())) { // evicted just now
            throw forgotten(call);
        }
        return answer == null ? null : answer.retain();
    }

    /**
     * Drops a call that the worker has reported as done.
     *
     * @return true if every slice that arrived here had been answered
     */
    synchronized boolean done(long number) {
        finished.add(number);
        Invocation call = calls.remove(number);
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
    synchronized List<Long> doneBelow(long number) {
        finished.addBelow(number);
        List<Long> unanswered = new ArrayList<>();
        for (Iterator<Invocation> oldest = calls.values().iterator(); oldest.hasNext(); ) {
            Invocation call = oldest.next();
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

    /** Drops all calls. */
    synchronized void clear() {
        calls.values().forEach(this::drop);
        calls.clear();
    }

    private void drop(Invocation first) {
        for (Invocation call = first; call != null; call = call.sibling()) {
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

    /** Returns the number of recorded requests. */
    synchronized int size() {
        return size;
    }
}
