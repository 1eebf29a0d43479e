package io.psf.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * How much of the machine others take: the time of all processors that is busy with anything but this process and its
 * descendants. {@link Stolen} tells the time of other virtual machines, round by round. Not thread-safe.
 */
final class OtherLoad {
    /** Above this share a figure is said to be disturbed. */
    static final double DISTURBS = 0.03;

    /** Ticks of the clock, of all processors, that a share is told of: half a second of two. */
    private static final int LEAST_TICKS = 100;

    /** Above this share a figure says nothing of psf. */
    static final double SPOILS = 0.15;

    private Sample last = Sample.now();
    private double share;

    /**
     * Ticks of the system's clock since its start.
     *
     * @param all of all processors, idle or not
     * @param busy of them, with any process
     * @param ours of them, with this process and its descendants
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
                return 0; // it has ended
            }
            String afterName = lines.get(0).substring(lines.get(0).lastIndexOf(')') + 2);
            String[] fields = afterName.split(" ", -1);
            return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        }

        /** The share of the processors' time since an earlier sample that others took; 0 where nothing is known. */
        double othersSince(Sample before) {
            long others = busy - before.busy - (ours - before.ours);
            return all == before.all ? 0 : Math.max(0, others / (double) (all - before.all));
        }
    }

    /** Begins anew: processes that have ended meanwhile do not count as ours any more. */
    void begin() {
        last = Sample.now();
        share = 0;
    }

    /** The share since the last time that this was asked, from 0 to 1; the last answer, if that is but a moment ago. */
    double sinceLast() {
        Sample now = Sample.now();
        if (now.all - last.all >= LEAST_TICKS) {
            share = now.othersSince(last);
            last = now;
        }
        return share;
    }
}
