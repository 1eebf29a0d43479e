package io.psf.builtin.policy;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * The policy of a growing table.
 *
 * @param admitAfter the number of pushes of a key after which its row is made; 1 for the first one
 * @param sketchBytes the memory of each slice for counting the keys without a row; 0 without admission
 * @param idleSteps the number of pushes to the table after which a row that none of them has touched is removed; 0 for
 *     never
 * @param idleTime the time after which a row that no push has touched is removed; zero for never
 * @param rows the most rows of the whole table; 0 for no limit
 * @param bytes the most bytes of the whole table; 0 for no limit
 * @param lfu true if the least frequently touched rows are removed first when the table is full, false if the least
 *     recently touched ones are
 */
public record PolicyOptions(
        int admitAfter, long sketchBytes, long idleSteps, Duration idleTime, long rows, long bytes, boolean lfu) {
    /** Makes a row for each key, and removes none. */
    public static final PolicyOptions NONE = new PolicyOptions(1, 0, 0, Duration.ZERO, 0, 0, false);

    /** The greatest count of the sketch. */
    private static final int MOST_TIMES = 255;

    /** The least memory of a slice's sketch. */
    private static final long LEAST_SKETCH = 1 << 10;

    /** Checks the options. Throws {@link IllegalArgumentException} if one is out of range. */
    public PolicyOptions {
        require(admitAfter >= 1 && admitAfter <= MOST_TIMES, "admitAfter", admitAfter, "1 to " + MOST_TIMES);
        require(
                admitAfter == 1 || sketchBytes >= LEAST_SKETCH && sketchBytes <= 1 << 30,
                "sketch",
                sketchBytes,
                LEAST_SKETCH + " bytes to 1 GB");
        require(idleSteps >= 0, "expiry", idleSteps, ">= 1 pushes");
        require(
                !idleTime.isNegative() && (idleTime.isZero() || idleTime.toSeconds() >= 1),
                "expiry",
                idleTime,
                ">= 1 second");
        require(rows >= 0, "rows", rows, ">= 1");
        require(bytes >= 0, "bytes", bytes, ">= 1");
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
                (int) number(left, "admitAfter", 1),
                number(left, "sketchBytes", 0),
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
            texts.put("sketchBytes", String.valueOf(sketchBytes));
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
        return new PolicyOptions(times, times > 1 ? bytesOfSketch : 0, idleSteps, idleTime, rows, bytes, lfu);
    }

    /** Returns a copy with other expiry. */
    public PolicyOptions withExpiry(long steps, Duration time) {
        return new PolicyOptions(admitAfter, sketchBytes, steps, time, rows, bytes, lfu);
    }

    /** Returns a copy with other limits. */
    public PolicyOptions withLimits(long mostRows, long mostBytes, boolean leastFrequent) {
        return new PolicyOptions(admitAfter, sketchBytes, idleSteps, idleTime, mostRows, mostBytes, leastFrequent);
    }
}
