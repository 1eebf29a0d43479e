package io.psf.runtime.cluster;

import io.psf.api.Member;
import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.server.Connections;
import io.psf.runtime.server.handler.Handlers;
import io.psf.runtime.server.node.HostNode;
import io.psf.runtime.server.session.Connection;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The scheduler's side of the functions in this package, and the server's side of hello. */
public final class ClusterFunctions {
    /** The functions that a connection may call before its peer is identified. */
    public static final Set<Integer> OPEN_TO_STRANGERS = Set.of(JoinPsf.ID, VisitPsf.ID, ChallengePsf.ID, HelloPsf.ID);

    private final HostNode node;
    private final Home home;
    private final Membership membership;
    private final Barriers barriers = new Barriers();
    private final Catalog catalog;

    /**
     * Creates the functions of a scheduler.
     *
     * @param node the scheduler
     * @param connections holds the nodes' sessions; the nodes of those that close are removed
     * @param home the scheduler's identity
     * @param events receives what happens to the cluster
     */
    public ClusterFunctions(ClusterPlan plan, HostNode node, Connections connections, Home home, ClusterEvents events) {
        this.node = node;
        this.home = home;
        this.membership = new Membership(plan, connections, home.tickets(), new ClusterEvents() {
            @Override
            public void changed(List<Member> members) {
                events.changed(members);
                barriers.membersChanged(members);
            }

            @Override
            public void ended(@Nullable PsException failure) {
                events.ended(failure);
            }
        });
        this.catalog = new Catalog(membership.states());
        connections.whenClosed(gone -> node.execute(() -> membership.closed(gone)));
    }

    /** Adds the scheduler's functions. */
    public Handlers bind(Handlers handlers) {
        Join join = (request, on) -> membership.join(request, node.connection());
        Visit visit = (request, on) -> membership.visit(request.guest(), node.connection());
        Beat beat = (request, on) -> membership.beat(request.epoch(), node.connection());
        Leave leave = (request, on) -> {
            Connection connection = node.connection();
            node.execute(() -> membership.leave(connection)); // it ends the connection
            return new Leave.Response();
        };
        Hello hello = (request, on) -> {
            Connection connection = node.connection();
            Protocol agreed = home.admit(request, connection);
            membership.rejoin(request, connection);
            return CompletableFuture.completedFuture(new Hello.Response(agreed, List.of(), ""));
        };
        Declare declare = (request, on) -> declare(request);
        GetChanges changes = (request, on) -> new GetChanges.Response(since(request.epoch()));
        Forget forget = (request, on) -> {
            catalog.forget(request.tensor());
            return new Forget.Response(since(request.epoch()));
        };
        return handlers.with(JoinPsf.bind(join))
                .with(VisitPsf.bind(visit))
                .with(challenge(node))
                .with(HelloPsf.bind(hello))
                .with(BeatPsf.bind(beat))
                .with(LeavePsf.bind(leave))
                .with(BarrierPsf.bind(barriers))
                .with(DeclarePsf.bind(declare))
                .with(GetChangesPsf.bind(changes))
                .with(ForgetPsf.bind(forget));
    }

    /**
     * Checks deadlines and heartbeats. Must be called several times within the heartbeat's limit, on the scheduler's
     * lane.
     */
    public void tick() {
        membership.tick();
    }

    private Declare.Response declare(Declare.Request request) {
        try {
            catalog.declare(request.tensors());
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new PsException(PsException.Code.BAD_REQUEST, String.valueOf(e.getMessage()), e);
        }
        return new Declare.Response(since(request.epoch()));
    }

    private List<ClusterChange> since(long epoch) {
        return membership.states().since(epoch);
    }

    /**
     * The state of a node that its hello needs.
     *
     * @param role the role of the node
     * @param rank the rank of the node
     * @param tickets the tickets of its cluster
     * @param checks true if the frames of all connections have checksums, over a network
     */
    public record Home(Role role, int rank, Tickets tickets, boolean checks) {
        /** Verifies the identity of a connection's peer, and returns the protocol for the connection. */
        private Protocol admit(Hello.Request hello, Connection connection) {
            Protocol own = checks ? Protocol.OWN.requiring(Protocol.CHECKSUM) : Protocol.OWN;
            Protocol agreed = own.agree(hello.protocol());
            tickets.require(hello, connection.takeChallenge(), role, rank);
            if (connection.member() != null) { // else sessions would accumulate that no connection ends
                throw new PsException(
                        PsException.Code.BAD_REQUEST, "hello: a second one on this connection (expected: one)");
            }
            if (checks) {
                connection.channel().useChecksums();
            }
            return agreed;
        }
    }

    private static Binding<?, ?> challenge(HostNode node) {
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
    public static Handlers bindHello(
            Handlers handlers, HostNode node, Connections connections, CompletableFuture<Home> joined) {
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
                    return hello(agreed, handlers);
                }
                if (request.session().connection() > 0) {
                    connections.resume(
                            connection,
                            caller,
                            request.session().session(),
                            request.session().connection());
                    return new Hello.Response(agreed, List.of(), "");
                }
                connections.open(connection, caller, request.session().session());
                return hello(agreed, handlers);
            });
        };
        return handlers.with(challenge(node))
                .with(HelloPsf.bind(hello))
                .with(PingPsf.bind((request, on) -> new Ping.Response()));
    }

    private static Hello.Response hello(Protocol agreed, Handlers handlers) {
        List<Hello.Known> functions = new ArrayList<>();
        for (FunctionInfo info : handlers.functions()) {
            functions.add(known(info));
            info.formerly().forEach(name -> functions.add(known(info.as(name)))); // the name that older workers use
        }
        return new Hello.Response(agreed, functions, handlers.searched());
    }

    private static Hello.Known known(FunctionInfo info) {
        return new Hello.Known(info.name(), info.readOnly(), info.place(), String.join("\n", info.schemas()));
    }

    /** Returns the functions in a server's hello, by the numbers of their names. */
    public static Map<Integer, FunctionInfo> known(Hello.Response hello) {
        Map<Integer, FunctionInfo> functions = new LinkedHashMap<>();
        for (Hello.Known known : hello.functions()) {
            List<String> schemas = List.of(known.schemas().split("\n"));
            functions.put(
                    Names.number(known.name()),
                    new FunctionInfo(
                            known.name(), Names.number(known.name()), known.place(), known.readOnly(), schemas));
        }
        return functions;
    }
}
