package io.psf.benchmarks;

import java.util.Arrays;
import java.util.List;

/**
 * The processor time that other virtual machines on the same host have taken, in ticks of the system's clock since its
 * start.
 *
 * @param all the ticks of all processors, idle or not
 * @param stolen the ticks taken by other virtual machines
 */
record Stolen(long all, long stolen) {
    static Stolen now() {
        List<String> lines = ThisProcess.lines("/proc/stat");
        return lines.isEmpty() ? new Stolen(0, 0) : of(lines.get(0));
    }

    /** Parses the first line of {@code /proc/stat}: user, nice, system, idle, iowait, irq, softirq, steal. */
    static long[] ticks(String line) {
        return Arrays.stream(line.strip().split("\\s+"))
                .skip(1)
                .limit(8)
                .mapToLong(Long::parseLong)
                .toArray();
    }

    /** Parses the first line of {@code /proc/stat}. */
    static Stolen of(String line) {
        long[] times = ticks(line);
        return new Stolen(Arrays.stream(times).sum(), times[7]);
    }

    /** Returns the stolen share of the processors' time since an earlier sample; 0 if unknown. */
    double since(Stolen before) {
        return all == before.all ? 0 : (stolen - before.stolen) / (double) (all - before.all);
    }
}
