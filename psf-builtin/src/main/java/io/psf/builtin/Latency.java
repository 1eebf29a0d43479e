package io.psf.builtin;

import io.psf.builtin.internal.statistics.Times;

/**
 * A distribution of times.
 *
 * @param count the number of times
 * @param meanNanos the mean, in nanoseconds; 0 if there are no times
 * @param p50Nanos the median, in nanoseconds, with an error of at most 7 %
 * @param p99Nanos the time that 99 % of the times do not exceed, in nanoseconds, with an error of at most 7 %
 * @param maxNanos the longest time, in nanoseconds
 */
public record Latency(long count, long meanNanos, long p50Nanos, long p99Nanos, long maxNanos) {
    static Latency of(Times times) {
        long count = times.count();
        return new Latency(
                count, count == 0 ? 0 : times.nanos() / count, times.quantile(0.5), times.quantile(0.99), times.max());
    }
}
