package io.psf.api.spi;

import io.psf.api.array.LongArray;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the keys that a shard is asked for most often, in bounded memory: the Space-Saving sketch (Metwally, Agrawal
 * and El Abbadi, ICDT 2005) of every eighth key. A count is too high by at most a {@value #COUNTERS}th of all. Used on
 * the shard's lane.
 */
public final class KeySketch {
    /** The keys that are counted at a time. */
    private static final int COUNTERS = 128;

    /** One of so many keys is counted. A prime number, so that no rhythm of a batch hides a key. */
    private static final int STRIDE = 7;

    /** Without a question, nothing is counted any more after this time. */
    private static final long IDLE_NANOS = 60_000_000_000L;

    private final Map<Long, Counter> counters = new HashMap<>();
    private long asked = System.nanoTime();
    /** How many keys are skipped before the next one is counted. */
    private int skip;

    private long all;

    private static final class Counter {
        private long count;
    }

    /**
     * A key and how often it has come.
     *
     * @param count the estimate
     */
    public record Count(long key, long count) {}

    /**
     * The counts since somebody has asked first.
     *
     * @param all the number of keys that have come, each as often as it has
     * @param counts the keys that have come most often, the first one the most often
     */
    public record Counts(long all, List<Count> counts) {
        /** Of a shard that does not count. */
        public static final Counts NONE = new Counts(0, List.of());
    }

    /** True if nobody has asked for a while: the sketch may be dropped. */
    public boolean isIdle() {
        return System.nanoTime() - asked > IDLE_NANOS;
    }

    /** Counts keys. */
    public void add(LongArray keys) {
        int n = keys.length();
        int i = skip;
        for (; i < n; i += STRIDE) {
            add(keys.get(i));
        }
        skip = i - n;
        all += n;
    }

    private void add(long key) {
        Counter known = counters.get(key);
        if (known == null) {
            known = new Counter();
            if (counters.size() == COUNTERS) {
                known.count = removeLeast();
            }
            counters.put(key, known);
        }
        known.count++;
    }

    private long removeLeast() {
        Map.Entry<Long, Counter> least = null;
        for (Map.Entry<Long, Counter> each : counters.entrySet()) {
            if (least == null || each.getValue().count < least.getValue().count) {
                least = each;
            }
        }
        long count = least == null ? 0 : least.getValue().count;
        if (least != null) {
            counters.remove(least.getKey());
        }
        return count;
    }

    /**
     * Returns the counts.
     *
     * @param most the most keys
     */
    public Counts ask(int most) {
        asked = System.nanoTime();
        List<Count> counts = counters.entrySet().stream()
                .map(each -> new Count(each.getKey(), STRIDE * each.getValue().count))
                .sorted(Comparator.comparingLong(Count::count).reversed())
                .limit(most)
                .toList();
        return new Counts(all, counts);
    }
}
