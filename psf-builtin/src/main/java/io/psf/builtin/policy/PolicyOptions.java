package io.psf.builtin.policy;

import java.io.Serializable;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * The policy of a growing table.
 *
 * @param admitAfter the number of pushes of a key after which its row is made; 1 for the first one
 * @param sketchBytes the memory of each slice for counting the keys without a row; 0 without admission, or if it
 *     follows from the expected keys
 * @param expectedKeys the number of keys of the whole table among which the sketch is to be exact; 0 for a sketch of
 *     {@code sketchBytes}
 * @param idleSteps the number of pushes to the table after which a row that none of them has touched is removed; 0 for
 *     never
 * @param idleTime the time after which a row that no push has touched is removed; zero for never
 * @param rows the most rows of the whole table; 0 for no limit
 * @param bytes the most bytes of the whole table; 0 for no limit
 * @param lfu true if the least frequently touched rows are removed first when the table is full, false if the least
 *     recently touched ones are
 */
public record PolicyOptions(
        int admitAfter,
        long sketchBytes,
        long expectedKeys,
        long idleSteps,
        Duration idleTime,
        long rows,
        long bytes,
        boolean lfu)
        implements Serializable {
    /** Makes a row for each key, and removes none. */
    public static final PolicyOptions NONE = new PolicyOptions(1, 0, 0, 0, Duration.ZERO, 0, 0, false);

    /** The greatest count of the sketch. */
    private static final int MOST_TIMES = 255;

    /** The least memory of a slice's sketch. */
    private static final long LEAST_SKETCH = 1 << 10;

    /** The greatest memory of a slice's sketch. */
    private static final long MOST_SKETCH = 1 << 30;

    /**
     * The memory for each expected key: with 4 counters in each row of the sketch for a key, 1 key in 1000 at most is
     * counted too high.
     */
    private static final long BYTES_OF_KEY = 16;

    /** Checks the options. Throws {@link IllegalArgumentException} if one is out of range. */
    public PolicyOptions {
        require(admitAfter >= 1 && admitAfter <= MOST_TIMES, "admitAfter", admitAfter, "1 to " + MOST_TIMES);
        require(
                admitAfter == 1 || expectedKeys > 0 || sketchBytes >= LEAST_SKETCH && sketchBytes <= MOST_SKETCH,
                "sketch",
                sketchBytes,
                LEAST_SKETCH + " bytes to 1 GB");
        require(expectedKeys >= 0 && expectedKeys <= 1L << 50, "expectedKeys", expectedKeys, "1 to 2^50, of the table");
        require(idleSteps >= 0, "expiry", idleSteps, ">= 1 pushes");
        require(
                !idleTime.isNegative() && (idleTime.isZero() || idleTime.toSeconds() >= 1),
                "expiry",
                idleTime,
                ">= 1 second");
        require(rows >= 0, "rows", rows, ">= 1, or 0 for no limit");
        require(bytes >= 0, "bytes", bytes, ">= 1, or 0 for no limit");
    }

    private static void require(boolean holds, String name, Object value, String expected) {
        if (!holds) {
            throw new IllegalArgumentException(
                    name + " of a table's policy: " + value + " (expected: " + expected + ")");
        }
    }

    /**
     * Parses options.
     *
     * @throws IllegalArgumentException if a name is unknown or a value is none of its type
     */
    public static PolicyOptions of(Map<String, String> texts) {
        Map<String, String> left = new TreeMap<>(texts);
        PolicyOptions options = new PolicyOptions(
                (int) Math.max(0, Math.min(number(left, "admitAfter", 1), Integer.MAX_VALUE)),
                number(left, "sketchBytes", 0),
                number(left, "expectedKeys", 0),
                number(left, "idleSteps", 0),
                Duration.ofSeconds(number(left, "idleSeconds", 0)),
                number(left, "rows", 0),
                number(left, "bytes", 0),
                "lfu".equals(left.remove("eviction")));
        require(left.isEmpty(), "option", left.keySet(), "none other");
        return options;
    }

    private static long number(Map<String, String> texts, String name, long otherwise) {
        String text = texts.remove(name);
        try {
            return text == null ? otherwise : Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " of a table's policy: \"" + text + "\" (expected: an int64)", e);
        }
    }

    /** Returns the options that differ from {@link #NONE}, by name. */
    public Map<String, String> texts() {
        Map<String, String> texts = new TreeMap<>();
        if (admitAfter > 1) {
            texts.put("admitAfter", String.valueOf(admitAfter));
            put(texts, "sketchBytes", expectedKeys > 0 ? 0 : sketchBytes);
            put(texts, "expectedKeys", expectedKeys);
        }
        put(texts, "idleSteps", idleSteps);
        put(texts, "idleSeconds", idleTime.toSeconds());
        put(texts, "rows", rows);
        put(texts, "bytes", bytes);
        if (isBounded()) {
            texts.put("eviction", lfu ? "lfu" : "lru");
        }
        return texts;
    }

    private static void put(Map<String, String> texts, String name, long value) {
        if (value > 0) {
            texts.put(name, String.valueOf(value));
        }
    }

    /** True if the number of rows or of bytes is limited. */
    public boolean isBounded() {
        return rows > 0 || bytes > 0;
    }

    /** Returns a copy with other admission. */
    public PolicyOptions withAdmission(int times, long bytesOfSketch) {
        return new PolicyOptions(times, times > 1 ? bytesOfSketch : 0, 0, idleSteps, idleTime, rows, bytes, lfu);
    }

    /** Returns a copy with other admission, and a sketch that is exact among some number of keys. */
    public PolicyOptions withAdmissionAmong(int times, long keys) {
        return new PolicyOptions(times, 0, times > 1 ? keys : 0, idleSteps, idleTime, rows, bytes, lfu);
    }

    /**
     * Returns the memory of the sketch of a slice.
     *
     * @param slices the number of the table's slices, over which its keys are spread evenly
     * @throws IllegalArgumentException if the expected keys need more than a sketch can have
     */
    long sketchBytes(int slices) {
        if (expectedKeys == 0) {
            return sketchBytes;
        }
        long keys = (expectedKeys + slices - 1) / slices;
        long needed = Math.max(LEAST_SKETCH, BYTES_OF_KEY * keys);
        require(
                needed <= MOST_SKETCH,
                "expectedKeys",
                expectedKeys,
                "at most " + slices * (MOST_SKETCH / BYTES_OF_KEY) + " in " + slices + " slices");
        return Long.highestOneBit(needed) == needed ? needed : Long.highestOneBit(needed) * 2;
    }

    /** Returns a copy with other expiry. */
    public PolicyOptions withExpiry(long steps, Duration time) {
        return new PolicyOptions(admitAfter, sketchBytes, expectedKeys, steps, time, rows, bytes, lfu);
    }

    /** Returns a copy with other limits. */
    public PolicyOptions withLimits(long mostRows, long mostBytes, boolean leastFrequent) {
        return new PolicyOptions(
                admitAfter, sketchBytes, expectedKeys, idleSteps, idleTime, mostRows, mostBytes, leastFrequent);
    }
}
