package io.psf.runtime.cluster;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.spi.Binding;
import io.psf.runtime.server.Connections;
import io.psf.runtime.server.handler.Handlers;
import io.psf.runtime.server.node.HostNode;
import io.psf.runtime.server.session.Connection;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The functions that open and test a connection to a server. */
public final class ServerFunctions {
    private ServerFunctions() {}

    /** Returns the function that sends a connection its challenge. */
    static Binding<?, ?> challenge(HostNode node) {
        SecureRandom random = new SecureRandom();
        Challenge challenge = (request, on) -> {
            byte[] nonce = Tickets.nonce(random);
            node.connection().setChallenge(nonce);
            return new Challenge.Response(nonce);
        };
        return ChallengePsf.bind(challenge);
    }

    /**
     * Adds the functions that open a connection to a server's functions. A hello is answered once the server knows its
     * cluster.
     *
     * @param node the server
     * @param connections holds the sessions of the server
     * @param joined completed with the server's identity once it has joined
     */
    public static Handlers bind(
            Handlers handlers, HostNode node, Connections connections, CompletableFuture<Identity> joined) {
        Hello hello = (request, on) -> {
            Connection connection = node.connection();
            return joined.thenApply(server -> {
                Protocol agreed = server.admit(request, connection);
                Member caller = new Member(request.role(), request.rank(), "", 0);
                boolean isGuest = request.role() == Role.WORKER && request.rank() == Ticket.GUEST;
                if (isGuest && request.session().session() != 0) {
                    throw new PsException(
                            PsException.Code.BAD_REQUEST, "session of a guest: a number (expected: 0, for none)");
                }
                if (isGuest || request.session().session() == 0 && request.role() == Role.SERVER) {
                    connections.accept(connection, caller);
                    return Hello.Response.of(agreed, handlers.functions(), handlers.searched());
                }
                if (request.session().connection() > 0) {
                    connections.resume(
                            connection,
                            caller,
                            request.session().session(),
                            request.session().connection());
                    return Hello.Response.of(agreed, List.of(), "");
                }
                connections.open(connection, caller, request.session().session());
                return Hello.Response.of(agreed, handlers.functions(), handlers.searched());
            });
        };
        return handlers.with(challenge(node))
                .with(HelloPsf.bind(hello))
                .with(PingPsf.bind((request, on) -> new Ping.Response()));
    }
}
