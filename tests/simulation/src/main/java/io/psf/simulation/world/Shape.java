package io.psf.simulation.world;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * The nodes of a simulated cluster, and its limits.
 *
 * @param servers the number of servers
 * @param workers the number of workers
 * @param lanes the lanes of each server
 * @param recovery what lost nodes leave behind
 * @param heartbeat how long a node may be silent
 * @param deadline how long a call may take
 * @param mostDelay the longest usual time of a frame
 */
public record Shape(
        int servers,
        int workers,
        int lanes,
        Recovery recovery,
        Duration heartbeat,
        Duration deadline,
        Duration mostDelay) {
    /** What lost nodes leave behind. */
    public enum Recovery {
        /** Nothing: a lost node is lost for good. */
        NONE,
        /** The scheduler has a journal, and may be started again. */
        JOURNAL,
        /**
         * The scheduler has a journal, the servers have checkpoints, and lost servers and workers are expected back.
         */
        CHECKPOINTS
    }

    /** Draws the sizes of a cluster and the speed of its network. */
    public static Shape draw(SplittableRandom random, Recovery recovery) {
        long[] delays = {100, 1_000, 5_000, 20_000};
        return new Shape(
                1 + random.nextInt(3),
                1 + random.nextInt(3),
                1 + random.nextInt(2),
                recovery,
                Duration.ofSeconds(10),
                Duration.ofSeconds(60),
                Duration.ofNanos(1000 * delays[random.nextInt(delays.length)]));
    }

    /** Returns a copy with these numbers of servers and workers. */
    public Shape with(int servers, int workers) {
        return new Shape(servers, workers, lanes, recovery, heartbeat, deadline, mostDelay);
    }

    /** Returns a copy with at least as many workers. */
    public Shape withWorkers(int least) {
        return with(servers, Math.max(workers, least));
    }

    /** Returns a copy with at least as many servers. */
    public Shape withServers(int least) {
        return with(Math.max(servers, least), workers);
    }

    @Override
    public String toString() {
        return servers + " servers of " + lanes + " lanes, " + workers + " workers, frames of up to "
                + mostDelay.toNanos() / 1000 + " us, recovery " + recovery;
    }
}
