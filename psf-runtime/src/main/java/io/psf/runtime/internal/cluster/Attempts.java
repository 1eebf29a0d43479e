package io.psf.runtime.internal.cluster;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The attempts to reach a node: their number, the pauses between them, and the limit of their time. The first attempt
 * follows at once, the second one after 20 ms. Each pause is twice as long as the previous pause, up to 500 ms, and
 * shorter by a random part of up to a half: nodes that have lost the same peer do not come back all together.
 * Thread-safe.
 */
final class Attempts {
    private static final long FIRST_PAUSE = Duration.ofMillis(20).toNanos();
    private static final long LONGEST_PAUSE = Duration.ofMillis(500).toNanos();

    private final long limit;
    // Guarded by this.
    private long began = System.nanoTime();
    private int count;
    private long longest;

    /**
     * Begins with no attempt.
     *
     * @param limitNanos how long they may go on
     */
    Attempts(long limitNanos) {
        this.limit = limitNanos;
    }

    /** Counts one more attempt. Returns the pause before it, in nanoseconds. */
    synchronized long next() {
        count++;
        long pause = longest == 0 ? 0 : ThreadLocalRandom.current().nextLong(longest / 2, longest + 1);
        longest = longest == 0 ? FIRST_PAUSE : Math.min(2 * longest, LONGEST_PAUSE);
        return pause;
    }

    /**
     * Counts attempts and time anew, after a connection that was of no use: the next attempt follows the first pause.
     */
    synchronized void restart() {
        began = System.nanoTime();
        count = 0;
        longest = FIRST_PAUSE;
    }

    /** Counts attempts and time anew, after progress: the next attempt follows at once. */
    synchronized void progress() {
        restart();
        longest = 0;
    }

    /** True if their time is over. */
    synchronized boolean areOver() {
        return leftNanos() < 0;
    }

    /** Returns the time that is left, in nanoseconds; negative if it is over. */
    synchronized long leftNanos() {
        return limit - (System.nanoTime() - began);
    }

    /**
     * Returns the error of a node that was not reached: with the number of attempts, the time, and the last failure.
     *
     * @param name of the node, with its address
     * @param missing what did not happen, for example {@code not connected}
     */
    synchronized PsException failure(String name, String missing, PsException last) {
        return new PsException(
                Code.UNAVAILABLE,
                name + ": " + missing + ": " + count + (count == 1 ? " attempt" : " attempts") + " in "
                        + millis(System.nanoTime() - began) + " ms (limit: " + millis(limit) + " ms), the last one: "
                        + without(name, last.detail()),
                last);
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    /** Returns a detail without the name that it may begin with. */
    static String without(String name, String detail) {
        return detail.startsWith(name + ": ") ? detail.substring(name.length() + 2) : detail;
    }
}
