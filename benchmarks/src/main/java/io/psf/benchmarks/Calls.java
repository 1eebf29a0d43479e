package io.psf.benchmarks;

import io.psf.api.Pending;
import java.util.function.IntPredicate;

/** One kind of call, made again and again, with arrays of its own for each of some that are under way at once. */
interface Calls extends AutoCloseable {
    /**
     * Sends one.
     *
     * @param slot of those under way, which of them it is: its arrays are free again
     */
    Pending<?> send(int slot);

    @Override
    void close();

    /** Makes calls, so many under way at once, and waits for all. */
    static void make(Calls calls, int times, int outstanding) {
        int unused = make(calls, outstanding, done -> done < times);
    }

    /**
     * Makes calls, so many under way at once, while there are more to be made; waits for all.
     *
     * @param more told how many have been sent
     * @return how many have been made
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
