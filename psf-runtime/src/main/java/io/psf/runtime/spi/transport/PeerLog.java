package io.psf.runtime.spi.transport;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * One kind of log line that peers can cause: some in ten seconds, and before the next line the number of lines that
 * were left out. Escapes what peers wrote. Thread-safe.
 */
public final class PeerLog {
    /** The most lines in one interval, unless a kind has more. */
    static final int MOST = 10;

    static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Consumer<String> log;
    private final LongSupplier clock;
    private final int most;
    private long begin;
    private int lines;
    private long leftOut;

    /**
     * Creates a kind of lines.
     *
     * @param log takes a line, such as {@code LOG::warn}
     */
    public PeerLog(Consumer<String> log) {
        this(log, MOST);
    }

    /**
     * Creates a kind of lines of which more are usual.
     *
     * @param log takes a line, such as {@code LOG::info}
     * @param usual the number of lines that peers cause if all is well; never left out
     */
    public PeerLog(Consumer<String> log, int usual) {
        this(log, Math.max(MOST, usual), System::nanoTime);
    }

    PeerLog(Consumer<String> log, int most, LongSupplier clock) {
        this.log = log;
        this.most = most;
        this.clock = clock;
        this.begin = clock.getAsLong();
    }

    /** Logs a line, or counts it. */
    public void line(String text) {
        long before;
        synchronized (this) {
            long now = clock.getAsLong();
            if (now - begin >= INTERVAL_NANOS) {
                begin = now;
                lines = 0;
            }
            if (lines >= most) {
                leftOut++;
                return;
            }
            lines++;
            before = leftOut;
            leftOut = 0;
        }
        String line = PeerText.safe(text);
        log.accept(before == 0 ? line : line + " (and " + before + " more like this before)");
    }
}
