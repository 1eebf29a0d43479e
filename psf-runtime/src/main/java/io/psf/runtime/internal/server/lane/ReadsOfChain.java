package io.psf.runtime.internal.server.lane;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a chain that have been handled, and whose shards have put off the reading of values for their answers: a
 * shard reads the values of several calls at once. They are answered in order, before a call that may change something,
 * before a call whose shard puts nothing off, and at the end of the chain. Belongs to its lane.
 */
public final class ReadsOfChain {
    /** The most calls that wait: their requests and answers are in memory. */
    private static final int MOST = 64;

    private final Queue<Runnable> answers = new ArrayDeque<>(2);
    /** The work that the call being handled has put off. */
    private final List<Runnable> work = new ArrayList<>(1);
    /** True while a chain of several calls runs. */
    private boolean isOpen;
    /** True if the call being handled may put work off. */
    private boolean mayPutOff;

    void open() {
        isOpen = true;
    }

    /** Answers the calls, at the end of the chain. */
    void close() {
        isOpen = false;
        answerAll();
    }

    /** True if no call waits for its answer. */
    public boolean isEmpty() {
        return answers.isEmpty();
    }

    /**
     * Begins a call.
     *
     * @param onlyReads true if its handler changes nothing, and nobody but the answer reads what it returns
     */
    public void begin(boolean onlyReads) {
        mayPutOff = isOpen && onlyReads;
        work.clear();
        if (!mayPutOff || answers.size() >= MOST) {
            answerAll();
        }
    }

    /** Puts work of the call off until its answer, unless this returns false. */
    public boolean putOff(Runnable ofAnswer) {
        if (mayPutOff) {
            work.add(ofAnswer);
        }
        return mayPutOff;
    }

    /**
     * Ends the handler of the call. Returns the work that it has put off. If there is none, answers the calls before
     * it, and returns null.
     */
    public @Nullable Runnable end() {
        mayPutOff = false;
        if (work.isEmpty()) {
            answerAll();
            return null;
        }
        List<Runnable> all = List.copyOf(work);
        work.clear();
        return () -> all.forEach(Runnable::run);
    }

    /** Adds the answer of a call, which does the work that the call has put off. */
    public void add(Runnable answer) {
        answers.add(answer);
    }

    /** Answers the calls that wait. */
    public void answerAll() {
        for (Runnable answer = answers.poll(); answer != null; answer = answers.poll()) {
            Lane.runQuietly(answer);
        }
    }
}
