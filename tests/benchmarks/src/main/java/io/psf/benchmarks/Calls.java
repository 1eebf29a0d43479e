package io.psf.benchmarks;

import io.psf.api.Pending;
import java.util.function.IntPredicate;

/** One kind of call, made repeatedly. Each outstanding call has its own arrays. */
interface Calls extends AutoCloseable {
    /**
     * Sends a call.
     *
     * @param slot the index among the outstanding calls; the arrays of this slot are free
     */
    Pending<?> send(int slot);

    @Override
    void close();

    /** Makes {@code times} calls with {@code outstanding} calls in flight. Blocks until all are answered. */
    static void make(Calls calls, int times, int outstanding) {
        int unused = make(calls, outstanding, done -> done < times);
    }

    /**
     * Makes calls with {@code outstanding} calls in flight, as long as {@code more} is true. Blocks until all are
     * answered.
     *
     * @param more receives the number of calls sent so far; true to send another
     * @return the number of calls made
     */
    static int make(Calls calls, int outstanding, IntPredicate more) {
        Pending<?>[] pending = new Pending<?>[outstanding];
        int sent = 0;
        for (; more.test(sent); sent++) {
            int slot = sent % outstanding;
            if (sent >= outstanding) {
                pending[slot].await();
            }
            pending[slot] = calls.send(slot);
        }
        for (int i = Math.max(0, sent - outstanding); i < sent; i++) {
            pending[i % outstanding].await();
        }
        return sent;
    }
}
