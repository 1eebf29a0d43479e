package io.psf.runtime.internal.cluster;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.spi.transport.TlsEngines;
import java.util.concurrent.TimeUnit;

/**
 * The first call on a connection: the node is asked for a challenge, which every node of psf answers at once. A peer
 * that does not is another program, or hangs.
 */
final class FirstCall {
    private FirstCall() {}

    /**
     * Returns the node's challenge. Blocks. The call is ignored by {@code awaitAll}.
     *
     * @param role the role of the node, for messages
     * @param limitNanos how long the node may take
     * @return the challenge, valid for one join or hello on this connection
     * @throws PsException with {@code PROTOCOL} if the peer sends bytes that are not of psf; with {@code TIMED_OUT} if
     *     it sends nothing; with {@code UNAVAILABLE} if it closes the connection
     */
    static Challenge.Response challenge(CallClient client, Peer peer, Role role, long limitNanos) {
        try {
            return challengeAgain(client, peer, limitNanos);
        } catch (PsException failure) {
            // The peer may have been refused before the call was sent.
            PsException e = failure.getCause() instanceof PsException refused && refused.code() == Code.PROTOCOL
                    ? refused
                    : failure;
            String why = Attempts.without(peer.name(), e.detail());
            // A sentence that names the settings of TLS is of a node of psf, and has its own hint.
            String expected = why.contains(TlsEngines.SETTINGS)
                    ? ""
                    : " (expected: a psf " + role.label() + "; another program may listen there)";
            throw switch (e.code()) {
                case PROTOCOL -> new PsException(Code.PROTOCOL, peer.name() + ": " + why + expected, e);
                case TIMED_OUT ->
                    new PsException(
                            Code.TIMED_OUT,
                            peer.name() + ": took the connection and answered nothing within "
                                    + TimeUnit.NANOSECONDS.toMillis(limitNanos) + " ms" + expected,
                            e);
                case UNAVAILABLE ->
                    new PsException(
                            Code.UNAVAILABLE,
                            peer.name() + ": took the connection and ended it without an answer: " + why + expected,
                            e);
                default -> e;
            };
        }
    }

    /**
     * Returns the challenge of a node that has answered on an earlier connection. Blocks. The call is ignored by
     * {@code awaitAll}.
     */
    static Challenge.Response challengeAgain(CallClient client, Peer peer, long limitNanos) {
        return client.callInBackground(ChallengePsf.FUNCTION, new Challenge.Request(), peer, limitNanos)
                .await();
    }

    /**
     * Returns the failure of a challenge or a hello on a connection that replaces another one. The node is known to be
     * a node of psf: if the connection breaks off, it has lost a frame, or the node ends.
     */
    static PsException ofReconnection(Peer peer, PsException e) {
        String why = Attempts.without(peer.name(), e.detail());
        return switch (e.code()) {
            case UNAVAILABLE ->
                new PsException(Code.UNAVAILABLE, peer.name() + ": closed before the hello was answered: " + why, e);
            case TIMED_OUT -> new PsException(Code.TIMED_OUT, peer.name() + ": the hello was not answered: " + why, e);
            default -> e;
        };
    }

    /** Returns the failure of a call to the scheduler: a node that does not know the function is another one. */
    static PsException ofScheduler(Peer peer, PsException e) {
        return e.code() == Code.UNKNOWN_FUNCTION
                ? new PsException(
                        Code.UNKNOWN_FUNCTION,
                        peer.name() + ": a psf server (expected: a psf scheduler, at its own port)",
                        e)
                : e;
    }
}
