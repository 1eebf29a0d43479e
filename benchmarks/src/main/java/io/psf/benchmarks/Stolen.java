package io.psf.benchmarks;

import java.util.Arrays;
import java.util.List;

/**
 * What other virtual machines on the same host have taken of the processors, in ticks of the system's clock since its
 * start.
 *
 * @param all of all processors, idle or not
 * @param stolen of them
 */
record Stolen(long all, long stolen) {
    static Stolen now() {
        List<String> lines = ThisProcess.lines("/proc/stat");
        return lines.isEmpty() ? new Stolen(0, 0) : of(lines.get(0));
    }

    /** Reads the first line of {@code /proc/stat}: user, nice, system, idle, iowait, irq, softirq, steal. */
    static long[] ticks(String line) {
        return Arrays.stream(line.strip().split("\\s+"))
                .skip(1)
                .limit(8)
                .mapToLong(Long::parseLong)
                .toArray();
    }

    /** Reads the first line of {@code /proc/stat}. */
    static Stolen of(String line) {
        long[] times = ticks(line);
        return new Stolen(Arrays.stream(times).sum(), times[7]);
    }

    /** The share of the processors' time since an earlier time; 0 where nothing is known. */
    double since(Stolen before) {
        return all == before.all ? 0 : (stolen - before.stolen) / (double) (all - before.all);
    }
}
