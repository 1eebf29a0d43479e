package io.psf.runtime;

import io.psf.runtime.internal.server.Connections;
import io.psf.runtime.internal.server.node.HostNode;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The orderly end of a server's work. New sessions are refused. Requests are read on while calls wait for others: a
 * round needs the pushes of the workers that have not sent theirs. As soon as no call waits, reading stops, and what
 * has arrived is run and answered. Requests that were not read have not begun.
 */
final class Drain {
    private static final Logger LOG = LoggerFactory.getLogger(Drain.class);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * The number of consecutive looks at an idle node: a thread may be about to queue the last frame that it has read.
     */
    private static final int LOOKS = 5;

    /**
     * The time for the peers to read the last answers: a peer that first hears that the server has left gives them up.
     */
    private static final long READING_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final HostNode host;
    private final Connections connections;
    private final BooleanSupplier isOver;

    /**
     * Creates the end of a server's work.
     *
     * @param isOver true if the server has ended for another reason
     */
    Drain(HostNode host, Connections connections, BooleanSupplier isOver) {
        this.host = host;
        this.connections = connections;
        this.isOver = isOver;
    }

    /** Finishes what the server has begun. Blocks until nothing is left, at most for a limit. */
    void run(Duration limit) {
        connections.refuseNew();
        long until = System.nanoTime() + limit.toNanos();
        boolean isDone = false;
        while (!isDone && isBefore(until)) {
            if (host.deferred() == 0) {
                connections.halt(true);
                isDone = isIdle(until) && host.deferred() == 0; // a request may have come in between that needs others
                connections.halt(isDone);
            }
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
        if (isDone) {
            awaitReaders(Math.min(until, System.nanoTime() + READING_NANOS));
        } else if (!isOver.getAsBoolean()) {
            LOG.warn("{} calls wait for others after {} ms", host.deferred(), limit.toMillis());
        }
    }

    private void awaitReaders(long until) {
        while (isBefore(until)) {
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
    }

    private boolean isBefore(long until) {
        return !isOver.getAsBoolean() && System.nanoTime() - until < 0;
    }

    /** Waits until no lane has work, and every peer has its answers. */
    private boolean isIdle(long until) {
        int looks = 0;
        while (looks < LOOKS && isBefore(until)) {
            looks = host.isIdle() && connections.areSettled() ? looks + 1 : 0;
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
        return looks == LOOKS;
    }
}
