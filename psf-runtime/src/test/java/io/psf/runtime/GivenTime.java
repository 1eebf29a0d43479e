package io.psf.runtime;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A clock for the limits of tests. On an idle machine it keeps the pace of {@link System#nanoTime}. On a loaded machine
 * it slows down as the threads of this process do: the part of an interval in which threads ran or waited for a
 * processor counts by the share of it in which they ran; the rest, in which all threads slept, counts as it is. So a
 * test that is slow for want of a processor does not run into its limit, but one that hangs does.
 *
 * <p>The times come from {@code /proc/self/task/*}{@code /schedstat}. Where there is none, as on other systems than
 * Linux, the clock stops only while the whole process does.
 */
public final class GivenTime {
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final Spent NONE = new Spent(0, 0);

    private static final GivenTime CLOCK = new GivenTime();

    static {
        Thread thread = new Thread(CLOCK::run, "given-time");
        thread.setDaemon(true);
        thread.start();
    }

    private volatile long nanos;
    /** The same time, accessed by the thread of the clock. */
    private long counted;

    private long at = System.nanoTime();
    private Map<String, Spent> threads = threads();

    private GivenTime() {}

    /** The time of one thread so far, in nanoseconds. */
    private record Spent(long ran, long waited) {}

    /** Returns the time of this clock, in nanoseconds since it started, as of the last half of a second. */
    public static long nanos() {
        return CLOCK.nanos;
    }

    private void run() {
        while (true) {
            LockSupport.parkNanos(this, TICK_NANOS);
            tick();
        }
    }

    private void tick() {
        Map<String, Spent> now = threads();
        long ran = 0;
        long waited = 0;
        for (Map.Entry<String, Spent> thread : now.entrySet()) {
            Spent before = threads.getOrDefault(thread.getKey(), NONE);
            ran += thread.getValue().ran() - before.ran();
            waited += thread.getValue().waited() - before.waited();
        }
        threads = now;
        long time = System.nanoTime();
        long interval = Math.min(time - at, 2 * TICK_NANOS); // more if the process was stopped
        at = time;
        long wanted = Math.min(interval, ran + waited);
        long had = wanted == 0 ? 0 : (long) ((double) wanted * ran / (ran + waited));
        counted += interval - wanted + had;
        nanos = counted;
    }

    private static Map<String, Spent> threads() {
        Map<String, Spent> all = new HashMap<>();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(THREADS)) {
            for (Path task : tasks) {
                add(all, task);
            }
        } catch (IOException e) {
            return Map.of(); // no Linux
        }
        return all;
    }

    private static void add(Map<String, Spent> all, Path task) {
        try {
            String[] numbers =
                    Files.readString(task.resolve("schedstat")).trim().split(" ", 3);
            all.put(task.toString(), new Spent(Long.parseLong(numbers[0]), Long.parseLong(numbers[1])));
        } catch (IOException e) {
            all.remove(task.toString()); // the thread has ended
        }
    }
}
