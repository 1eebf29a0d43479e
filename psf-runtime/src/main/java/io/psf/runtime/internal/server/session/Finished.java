package io.psf.runtime.internal.server.session;

import java.util.TreeMap;

/**
 * The numbers of the calls that a caller has reported as done: all numbers below a limit, and a window of later ones
 * with one bit each. A number that falls behind the window counts as finished. To add a number takes the same time
 * wherever it lies, and at most {@link #WORD} bytes. Not thread-safe: the caller synchronizes.
 */
final class Finished {
    /** The bytes that a word of 64 bits takes: its entry in the map, its number, and an array of one element. */
    static final int WORD = 96;

    private static final long MOST = 1 << 20;

    /** The words of 64 bits that are not zero, by the upper bits of their numbers. */
    private final TreeMap<Long, long[]> words = new TreeMap<>();

    /** Every smaller number is finished. Never negative. */
    private long below;

    /** The highest number that was added. */
    private long last = -1;

    /** True if the caller has reported the call of that number as done. */
    boolean contains(long number) {
        if (number < below || number > last) {
            return number < below;
        }
        long[] word = words.get(number >>> 6);
        return word != null && (word[0] & 1L << number) != 0;
    }

    void add(long number) {
        if (number < below) {
            return;
        }
        if (number - below >= MOST) {
            addBelow(number - MOST + 1);
        }
        words.computeIfAbsent(number >>> 6, unused -> new long[1])[0] |= 1L << number;
        last = Math.max(last, number);
    }

    /** Adds all numbers below {@code number}. */
    void addBelow(long number) {
        if (number > below) {
            below = number;
            if (!words.isEmpty()) {
                words.headMap(below >>> 6).clear();
            }
        }
    }

    /**
     * Moves the window until it takes at most that many bytes, or is one word: the numbers behind it count as finished.
     */
    void narrow(long most) {
        while (words.size() > 1 && bytes() > most) {
            addBelow((words.firstKey() + 1) << 6);
        }
    }

    /** Returns the bytes of the window. */
    long bytes() {
        return (long) WORD * words.size();
    }
}
