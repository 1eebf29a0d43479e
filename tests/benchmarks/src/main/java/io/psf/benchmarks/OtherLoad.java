package io.psf.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Measures the load of other processes: the time that all processors spend on processes other than this one and its
 * descendants. {@link Stolen} measures the time of other virtual machines, round by round. Not thread-safe.
 */
final class OtherLoad {
    /** A figure with a larger share of other load is reported as disturbed. */
    static final double DISTURBS = 0.03;

    /** The minimum number of ticks, over all processors, for a new share: half a second of two processors. */
    private static final int LEAST_TICKS = 100;

    /** A figure with a larger share of other load is undecided. */
    static final double SPOILS = 0.15;

    private Sample last = Sample.now();
    private double share;

    /**
     * Ticks of the system's clock since its start.
     *
     * @param all the ticks of all processors, idle or not
     * @param busy the ticks spent on any process
     * @param ours the ticks spent on this process and its descendants
     */
    record Sample(long all, long busy, long ours) {
        static Sample now() {
            List<String> lines = ThisProcess.lines("/proc/stat");
            if (lines.isEmpty()) {
                return new Sample(0, 0, 0);
            }
            Stream<ProcessHandle> family = Stream.concat(
                    Stream.of(ProcessHandle.current()), ProcessHandle.current().descendants());
            long ours = family.mapToLong(process -> ticks(process.pid())).sum();
            return of(lines.get(0), ours);
        }

        /** Reads the first line of {@code /proc/stat}, see {@link Stolen#ticks}. */
        static Sample of(String line, long ours) {
            long[] times = Stolen.ticks(line);
            return new Sample(Arrays.stream(times).sum(), times[0] + times[1] + times[2], ours);
        }

        private static long ticks(long pid) {
            List<String> lines = ThisProcess.lines("/proc/" + pid + "/stat");
            if (lines.isEmpty()) {
                return 0; // the process has ended
            }
            String afterName = lines.get(0).substring(lines.get(0).lastIndexOf(')') + 2);
            String[] fields = afterName.split(" ", -1);
            return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        }

        /** Returns the share of the processors' time since an earlier sample that others took; 0 if unknown. */
        double othersSince(Sample before) {
            long others = busy - before.busy - (ours - before.ours);
            return all == before.all ? 0 : Math.max(0, others / (double) (all - before.all));
        }
    }

    /** Starts a new measurement, so that the ticks of processes that have ended do not distort the difference. */
    void begin() {
        last = Sample.now();
        share = 0;
    }

    /**
     * Returns the share since the previous call, from 0 to 1. Returns the previous answer again if too few ticks have
     * passed.
     */
    double sinceLast() {
        Sample now = Sample.now();
        if (now.all - last.all >= LEAST_TICKS) {
            share = now.othersSince(last);
            last = now;
        }
        return share;
    }
}
