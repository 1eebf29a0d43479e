package io.psf.runtime;

import io.psf.runtime.internal.cluster.ClusterLink;
import io.psf.runtime.internal.server.Connections;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time in which a server may serve: it ends before the scheduler may count the server as lost and give its slices
 * to another one. A server whose lease is over answers nobody until the scheduler has answered a heartbeat. Checked by
 * the server's timer; reading is thread-safe.
 */
final class Lease {
    private static final Logger LOG = LoggerFactory.getLogger(Lease.class);

    /** The parts of the time for which a server serves without the scheduler. The rest is for a timer that is late. */
    private static final int LASTS = 7;

    private static final int OF = 8;

    private final ClusterLink link;
    private final Connections connections;
    private volatile @Nullable String over;

    /** Creates the lease of a server that serves. */
    Lease(ClusterLink link, Connections connections) {
        this.link = link;
        this.connections = connections;
    }

    /** Stops serving if the lease is over, and serves again if it has begun again. */
    void check() {
        Duration limit = link.limits().serve().multipliedBy(LASTS).dividedBy(OF);
        boolean lasts = link.silence().compareTo(limit) < 0;
        if (!lasts && over == null) {
            String why = "has stopped serving, since " + Health.silent(link, limit);
            over = why;
            connections.suspend(link.rank(), why);
            LOG.warn("server {} {}", link.rank(), why);
        } else if (lasts && over != null) {
            over = null;
            connections.serve();
            LOG.info("server {} serves again: the scheduler has answered a heartbeat", link.rank());
        }
    }

    /** Returns why the server does not serve now; null if it does. */
    @Nullable
    String over() {
        return over;
    }
}
