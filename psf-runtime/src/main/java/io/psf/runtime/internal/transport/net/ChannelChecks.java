package io.psf.runtime.internal.transport.net;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The checks of all channels at intervals, for peers that keep this side waiting. One thread requests a check, the
 * leader runs it.
 */
final class ChannelChecks implements Runnable {
    /** The check interval after a failure, for example for lack of memory. */
    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final LeaderThread leader;
    private final FailureLog failures = new FailureLog(this::soon);
    private final Set<PolledChannel> channels = ConcurrentHashMap.newKeySet();
    /** Run before the channels are checked. */
    private final Set<Runnable> onCheck = ConcurrentHashMap.newKeySet();

    private volatile long interval;
    private volatile boolean soon;
    /** True if a check has been requested and has not begun. */
    private volatile boolean requested;

    /** A clock that does not advance while this process is suspended. */
    private volatile long clock;

    /** The same time, accessed by the leader only. */
    private long counted;

    private long lastCheck = System.nanoTime();
    /** The time of the last request. Accessed by the requesting thread only. */
    private long lastRequest = System.nanoTime();

    /**
     * Creates the checks.
     *
     * @param interval in nanoseconds
     */
    ChannelChecks(LeaderThread leader, long interval) {
        this.leader = leader;
        this.interval = interval;
    }

    void add(PolledChannel channel) {
        channels.add(channel);
    }

    void remove(PolledChannel channel) {
        channels.remove(channel);
    }

    void closeChannels() {
        channels.forEach(PolledChannel::close);
    }

    /** Registers work that the leader runs whenever the channels are checked. */
    void onCheck(Runnable work) {
        onCheck.add(work);
    }

    void removeOnCheck(Runnable work) {
        onCheck.remove(work);
    }

    /** Returns the interval of the checks, in nanoseconds. */
    long interval() {
        return interval;
    }

    /** Shortens the interval to at most that time. */
    synchronized void every(long nanos) {
        interval = Math.min(interval, nanos);
    }

    /** Requests a check after {@link #SOON_NANOS}. */
    void soon() {
        soon = true;
    }

    /** Returns the time that {@link PolledChannel#check} gets. May be stale by a check interval. */
    long clock() {
        return clock;
    }

    /** Returns the log of failures. One that cannot be logged is followed by a check soon. */
    FailureLog failures() {
        return failures;
    }

    /** True if a check has to be requested now; the caller does so, or calls {@link #withdraw}. */
    boolean isDue() {
        long now = System.nanoTime();
        long wanted = soon ? Math.min(SOON_NANOS, interval) : interval;
        if (now - lastRequest < wanted || requested) {
            return false;
        }
        lastRequest = now;
        soon = false;
        requested = true;
        return true;
    }

    /** Called if a check could not be requested. */
    void withdraw() {
        requested = false;
    }

    /** Checks all channels, on the leader. */
    @Override
    public void run() {
        requested = false;
        long now = System.nanoTime();
        long passed = Math.min(now - lastCheck, 2 * interval); // a longer time means that this process was suspended
        counted += passed;
        clock = counted;
        lastCheck = now;
        for (Runnable work : onCheck) {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                failures.report("checking a listener", e);
            }
        }
        for (PolledChannel channel : channels) {
            if (!leader.isCurrent()) {
                soon = true;
                return;
            }
            try {
                channel.check(clock);
            } catch (RuntimeException | Error e) {
                channel.failed(e);
            }
        }
    }
}
