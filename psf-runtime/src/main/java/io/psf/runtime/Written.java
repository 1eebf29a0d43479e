package io.psf.runtime;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.internal.call.Call;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.internal.cluster.Ping;
import io.psf.runtime.internal.cluster.PingPsf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks the servers that hold a worker's changes. An acknowledged push is lost with its server, and no later call may
 * report the loss. Thread-safe.
 */
final class Written {
    private static final Logger LOG = LoggerFactory.getLogger(Written.class);

    private final CallClient client;
    private final Supplier<List<Peer>> servers;
    private final long patience;

    /**
     * Tracks all servers of a worker.
     *
     * @param servers returns the servers that are connected
     * @param patience how long a present server takes at most to answer; without an answer its connection is replaced
     */
    Written(CallClient client, Supplier<List<Peer>> servers, Duration patience) {
        this.client = client;
        this.servers = servers;
        this.patience = patience.toNanos();
    }

    /**
     * Asks each server that this worker has written to since the last confirmation whether it is present. Blocks until
     * each server has answered, is lost, or the limit has passed.
     *
     * @throws PsException with {@code UNAVAILABLE} if a server is lost that this worker has ever written to
     */
    void require(Duration limit) {
        long until = System.nanoTime() + limit.toNanos();
        List<Question> asked = new ArrayList<>();
        for (Peer server : servers.get()) {
            long writes = server.unconfirmed();
            if (writes >= 0 && !server.isLost()) {
                ask(server, until).ifPresent(call -> asked.add(new Question(server, writes, call)));
            }
        }
        asked.forEach(question -> await(question, until));
        requireKept();
    }

    /** A call to a server. Its answer confirms that the server still holds the first {@code writes} changes. */
    private record Question(Peer server, long writes, Call<?> call) {}

    private Optional<Call<?>> ask(Peer server, long until) {
        long limit = Math.max(1, Math.min(patience, until - System.nanoTime()));
        try {
            return Optional.of(client.callInBackground(PingPsf.FUNCTION, new Ping.Request(), server, limit));
        } catch (PsException e) { // the server was lost meanwhile
            LOG.debug("asking {}: {}", server.name(), e.getMessage());
            return Optional.empty();
        }
    }

    /** Waits for the answer. If it does not arrive, the connection is replaced and the server is asked again. */
    private void await(Question question, long until) {
        Optional<Call<?>> call = Optional.of(question.call());
        while (call.isPresent()) {
            try {
                call.get().await();
                question.server().confirm(question.writes());
                return;
            } catch (PsException e) {
                if (e.code() == Code.CANCELLED) { // this thread was interrupted
                    throw e;
                }
                LOG.debug("asking {}: {}", question.server().name(), e.getMessage());
                if (e.code() != Code.TIMED_OUT || System.nanoTime() - until >= 0) {
                    return; // lost, or asked again later
                }
            }
            question.server().renew();
            call = ask(question.server(), until);
        }
    }

    /**
     * Fails if a server that this worker has ever written to is known to be lost.
     *
     * @throws PsException with {@code UNAVAILABLE}
     */
    void requireKept() {
        for (Peer server : servers.get()) {
            PsException lost = server.lostWrites();
            if (lost != null) {
                throw new PsException( // the loss as cause would say the same once more, with frames of another thread
                        Code.UNAVAILABLE,
                        lost.detail()
                                + " (expected: running until the job ends, since it held changes of this worker)");
            }
        }
    }

    /** Returns the failure of the calls whose effects are undone. */
    static PsException lostNodeIsBack() {
        return new PsException(
                PsException.Code.ROLLED_BACK,
                "a lost node has come back (expected: that all workers load the newest checkpoint and train again from"
                        + " its step; ModelCheckpoints.loadLatest)");
    }
}
