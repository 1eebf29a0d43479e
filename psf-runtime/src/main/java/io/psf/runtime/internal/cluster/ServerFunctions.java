package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.internal.server.Connections;
import io.psf.runtime.internal.server.handler.Handlers;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.session.Connection;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** The functions that open and test a connection to a server. */
public final class ServerFunctions {
    private ServerFunctions() {}

    /**
     * Returns the function that sends a connection its challenge.
     *
     * @param isForming true at a scheduler whose cluster is not complete
     */
    static Binding<?, ?> challenge(HostNode node, BooleanSupplier isForming) {
        SecureRandom random = new SecureRandom();
        Challenge challenge = (request, on) -> {
            byte[] nonce = Tickets.nonce(random);
            node.connection().rights().challenge().set(nonce);
            return new Challenge.Response(nonce, isForming.getAsBoolean());
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
     * @param restored completed once the server has its slices: workers and clients are answered then
     */
    public static Handlers bind(
            Handlers handlers,
            HostNode node,
            Connections connections,
            CompletableFuture<Identity> joined,
            CompletableFuture<Void> restored) {
        Hello hello = (request, on) -> {
            Connection connection = node.connection();
            boolean isAnsweredBefore = request.role() == Role.SERVER || request.rank() == Ticket.GUEST;
            return joined.thenCompose(server -> {
                Protocol agreed = server.admit(request, connection);
                CompletableFuture<Void> ready =
                        isAnsweredBefore ? CompletableFuture.completedFuture(null) : restored.copy();
                return ready.thenCompose(done -> server.requirePresent(request)).thenApply(present -> {
                    Collection<FunctionInfo> functions =
                            open(request, connection, connections) ? handlers.functions() : List.of();
                    return Hello.Response.of(agreed, functions, functions.isEmpty() ? "" : handlers.searched());
                });
            });
        };
        EndSession end = (request, on) -> {
            node.connection().term().retire();
            return new EndSession.Response();
        };
        return handlers.with(challenge(node, () -> false))
                .with(HelloPsf.bind(hello))
                .with(PingPsf.bind((request, on) -> new Ping.Response()))
                .with(EndSessionPsf.bind(end));
    }

    /** Opens the connection of an admitted peer, or resumes its session; returns true if it is a new one. */
    private static boolean open(Hello.Request hello, Connection connection, Connections connections) {
        connections.requireServing();
        Member caller = new Member(hello.role(), hello.rank(), "", 0);
        long session = hello.session().session();
        boolean isGuest = hello.role() == Role.WORKER && hello.rank() == Ticket.GUEST;
        if (isGuest && session != 0) {
            throw new PsException(PsException.Code.BAD_REQUEST, "session of a guest: a number (expected: 0, for none)");
        }
        boolean isOfServer = session == 0 && hello.role() == Role.SERVER;
        if (!isOfServer && hello.session().connection() == 0) { // a server's call may be of a session that has begun
            connections.requireAccepting();
        }
        if (isGuest || isOfServer) {
            connections.accept(connection, caller);
            return true;
        }
        if (hello.session().connection() > 0) {
            connections.resume(connection, caller, session, hello.session().connection());
            return false;
        }
        connections.open(connection, caller, hello.since(), session);
        return true;
    }
}
