package io.psf.builtin.internal.statistics;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** Counts times in the buckets of {@link Times}. Thread-safe, without locks. */
final class Histogram {
    private final AtomicLongArray buckets = new AtomicLongArray(Times.BUCKETS);
    private final LongAdder nanos = new LongAdder();
    private final AtomicLong max = new AtomicLong();

    void add(long time) {
        buckets.getAndIncrement(Times.bucket(time));
        nanos.add(time);
        if (time > max.get()) {
            max.accumulateAndGet(time, Math::max);
        }
    }

    /** Returns the times that have been added. A time that is added meanwhile may be in a part of the result. */
    Times times() {
        long[] counts = new long[Times.BUCKETS];
        int used = 0;
        for (int i = 0; i < counts.length; i++) {
            counts[i] = buckets.get(i);
            used = counts[i] > 0 ? i + 1 : used;
        }
        return new Times(nanos.sum(), max.get(), Arrays.copyOf(counts, used));
    }
}
