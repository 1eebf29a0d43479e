package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.spi.transport.Transport;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connects a node that joins to its scheduler, which may be started later. */
final class SchedulerSearch {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterLink.class);
    static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private SchedulerSearch() {}

    /**
     * Returns the scheduler, once it is reached. Blocks.
     *
     * @param deadline when the search is over, as {@link System#nanoTime} counts
     * @param timeout how long it may take, for messages
     * @throws PsException with {@code UNAVAILABLE} if the scheduler is not reached in time, or the process that started
     *     this node for its job has ended
     */
    static Peer connect(CallClient client, Transport transport, Member host, long deadline, Duration timeout) {
        ParentProcess parent = ParentProcess.of(System.getenv());
        boolean told = false;
        while (true) {
            parent.requireRunning();
            try {
                return client.connect(transport, host.host(), host.port(), Session.name(host));
            } catch (PsException e) {
                if (!told) {
                    told = true;
                    LOG.info(
                            "connecting to the scheduler at {}, for up to {} s: {}",
                            host.address(),
                            timeout.toSeconds(),
                            e.detail());
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new PsException(
                            Code.UNAVAILABLE,
                            "scheduler at " + host.address() + ": not reached within " + timeout.toMillis() + " ms: "
                                    + e.detail(),
                            e);
                }
                Session.pause(RETRY_NANOS);
            }
        }
    }
}
