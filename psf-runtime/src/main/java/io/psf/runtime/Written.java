package io.psf.runtime;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.call.Call;
import io.psf.runtime.call.Client;
import io.psf.runtime.call.Peer;
import io.psf.runtime.cluster.Present;
import io.psf.runtime.cluster.PresentPsf;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers that hold what a worker has changed. An acknowledged push is lost with its server, and no later call may
 * tell. Thread-safe.
 */
final class Written {
    private static final Logger LOG = LoggerFactory.getLogger(Written.class);

    private final Client client;
    private final List<Peer> servers;

    /**
     * All servers of a worker.
     *
     * @param servers by rank
     */
    Written(Client client, List<Peer> servers) {
        this.client = client;
        this.servers = servers;
    }

    /**
     * Asks each server that this worker has changed something on since it was last asked whether it is there. Blocks
     * until each has answered, or is lost, or the limit is over.
     *
     * @throws PsException with {@code UNAVAILABLE} if a server is lost that this worker has ever changed something on
     */
    void require(Duration limit) {
        Map<Peer, Call<?>> asked = new LinkedHashMap<>();
        for (Peer server : servers) {
            if (server.takeUnconfirmed() && !server.isLost()) {
                try {
                    asked.put(
                            server,
                            client.callInBackground(
                                    PresentPsf.FUNCTION, new Present.Request(), server, limit.toNanos()));
                } catch (PsException e) {
                    LOG.debug("asking {}: {}", server.name(), e.getMessage()); // lost meanwhile
                }
            }
        }
        asked.forEach(Written::await);
        requireKept();
    }

    private static void await(Peer server, Call<?> call) {
        try {
            call.await();
        } catch (PsException e) {
            server.unconfirm();
            if (e.code() == Code.CANCELLED) {
                throw e;
            }
            LOG.debug("asking {}: {}", server.name(), e.getMessage());
        }
    }

    /**
     * Fails if a server is known to be lost that this worker has ever changed something on.
     *
     * @throws PsException with {@code UNAVAILABLE}
     */
    void requireKept() {
        for (Peer server : servers) {
            PsException lost = server.lostWrites();
            if (lost != null) {
                throw new PsException(
                        Code.UNAVAILABLE,
                        lost.detail() + " (expected: there, since it held what this worker has changed)",
                        lost);
            }
        }
    }
}
