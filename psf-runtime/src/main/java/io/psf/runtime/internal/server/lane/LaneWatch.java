package io.psf.runtime.internal.server.lane;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds lanes that make no progress: work waits, and none has begun since. A handler that runs for long is no reason
 * alone, since nothing else may need its lane. One thread samples; any thread may ask.
 */
public final class LaneWatch {
    private final List<Lane> lanes;
    /** [lanes], the number of pieces of work that had begun at the last sample. */
    private final long[] turns;
    /** [lanes], since when work waits and none has begun, as {@link System#nanoTime} counts. */
    private final long[] since;
    /** [lanes], true if work waited at the last sample. */
    private final boolean[] waited;

    private volatile @Nullable Stall longest;

    private record Stall(String lane, long since) {}

    /** Watches lanes from the first sample on. */
    public LaneWatch(List<Lane> lanes) {
        this.lanes = List.copyOf(lanes);
        this.turns = new long[lanes.size()];
        this.since = new long[lanes.size()];
        this.waited = new boolean[lanes.size()];
    }

    /** Looks at each lane. Must be called several times within the shortest limit that is asked for. */
    public void sample() {
        long now = System.nanoTime();
        Stall worst = null;
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            boolean waits = lane.hasWaiting();
            long turn = lane.turn();
            if (!waits || !waited[i] || turn != turns[i]) { // else what waited then waits still
                since[i] = now;
            }
            waited[i] = waits;
            turns[i] = turn;
            if (waits && (worst == null || since[i] - worst.since < 0)) {
                worst = new Stall(lane.name(), since[i]);
            }
        }
        longest = worst;
    }

    /** Returns a sentence about the lane that has made no progress for longer than a limit; null if there is none. */
    public @Nullable String stalled(Duration limit) {
        Stall found = longest;
        if (found == null) {
            return null;
        }
        long nanos = System.nanoTime() - found.since;
        return nanos <= limit.toNanos()
                ? null
                : found.lane + ": work waits, and none has begun for "
                        + Duration.ofNanos(nanos).toMillis() + " ms (expected: within " + limit.toMillis() + " ms)";
    }
}
