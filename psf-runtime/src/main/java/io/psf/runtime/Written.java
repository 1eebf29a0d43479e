package io.psf.runtime;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.call.Call;
import io.psf.runtime.call.Client;
import io.psf.runtime.call.Peer;
import io.psf.runtime.cluster.Ping;
import io.psf.runtime.cluster.PingPsf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks the servers that hold a worker's changes. An acknowledged push is lost with its server, and no later call may
 * report the loss. Thread-safe.
 */
final class Written {
    private static final Logger LOG = LoggerFactory.getLogger(Written.class);

    private final Client client;
    private final List<Peer> servers;

    /**
     * Tracks all servers of a worker.
     *
     * @param servers by rank
     */
    Written(Client client, List<Peer> servers) {
        this.client = client;
        this.servers = servers;
    }

    /**
     * Asks each server that this worker has written to since the last confirmation whether it is present. Blocks until
     * each server has answered, is lost, or the limit has passed.
     *
     * @throws PsException with {@code UNAVAILABLE} if a server is lost that this worker has ever written to
     */
    void require(Duration limit) {
        List<Question> asked = new ArrayList<>();
        for (Peer server : servers) {
            long writes = server.unconfirmed();
            if (writes >= 0 && !server.isLost()) {
                ask(server, limit).ifPresent(call -> asked.add(new Question(server, writes, call)));
            }
        }
        asked.forEach(Written::await);
        requireKept();
    }

    /** A call to a server. Its answer confirms that the server still holds the first {@code writes} changes. */
    private record Question(Peer server, long writes, Call<?> call) {}

    private Optional<Call<?>> ask(Peer server, Duration limit) {
        try {
            return Optional.of(client.callInBackground(PingPsf.FUNCTION, new Ping.Request(), server, limit.toNanos()));
        } catch (PsException e) { // the server was lost meanwhile
            LOG.debug("asking {}: {}", server.name(), e.getMessage());
            return Optional.empty();
        }
    }

    private static void await(Question question) {
        try {
            question.call().await();
            question.server().confirm(question.writes());
        } catch (PsException e) {
            if (e.code() == Code.CANCELLED) { // this thread was interrupted
                throw e;
            }
            LOG.debug("asking {}: {}", question.server().name(), e.getMessage()); // lost, or asked again later
        }
    }

    /**
     * Fails if a server that this worker has ever written to is known to be lost.
     *
     * @throws PsException with {@code UNAVAILABLE}
     */
    void requireKept() {
        for (Peer server : servers) {
            PsException lost = server.lostWrites();
            if (lost != null) {
                throw new PsException(
                        Code.UNAVAILABLE,
                        lost.detail() + " (expected: present, since it held what this worker has changed)",
                        lost);
            }
        }
    }
}
