package io.psf.runtime.internal.server.node;

import io.psf.api.Names;
import io.psf.api.spi.NodeNumbers;
import io.psf.runtime.internal.server.lane.Lane;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures what one lane has, in its turn, for all that ask meanwhile. Thread-safe. */
final class LaneMeter {
    private static final Logger LOG = LoggerFactory.getLogger(LaneMeter.class);

    private final Lane lane;
    private final Function<Lane, NodeNumbers> measure;
    private volatile NodeNumbers last = NodeNumbers.NONE;
    /** Completed if the lane is not being measured. Guarded by this. */
    private CompletableFuture<Void> underWay = CompletableFuture.completedFuture(null);

    LaneMeter(Lane lane, Function<Lane, NodeNumbers> measure) {
        this.lane = lane;
        this.measure = measure;
    }

    /** Returns the numbers of the last time. */
    NodeNumbers last() {
        return last;
    }

    /** Measures the lane. Asks it once, however many wait. */
    synchronized CompletableFuture<Void> measure() {
        if (underWay.isDone()) {
            CompletableFuture<Void> now = new CompletableFuture<>();
            underWay = now;
            lane.execute(() -> run(now));
        }
        return underWay;
    }

    private void run(CompletableFuture<Void> now) {
        try {
            lane.reading("psf.stats", () -> last = measure.apply(lane));
        } catch (RuntimeException | Error e) { // of a user's attachment, for example
            LOG.warn("measuring a lane failed", Names.printable(e));
        } finally {
            now.complete(null);
        }
    }
}
