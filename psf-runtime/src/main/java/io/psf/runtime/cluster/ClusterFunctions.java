package io.psf.runtime.cluster;

import io.psf.api.Member;
import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.server.Dispatcher;
import io.psf.runtime.server.HostNode;
import io.psf.runtime.server.handler.Handlers;
import io.psf.runtime.server.session.Connection;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The scheduler's side of the functions in this package, and the server's side of hello. */
public final class ClusterFunctions {
    /** The functions that a connection may call before its peer is identified. */
    public static final Set<Integer> OPEN_TO_STRANGERS = Set.of(JoinPsf.ID, VisitPsf.ID, ChallengePsf.ID, HelloPsf.ID);

    private final HostNode node;
    private final CompletableFuture<Home> home;
    private final Membership membership;
    private final Barriers barriers = new Barriers();
    private final Catalog catalog;

    /**
     * Creates the functions of a scheduler.
     *
     * @param node the scheduler
     * @param home completed once the scheduler's dispatcher exists, before it accepts connections
     * @param events receives what happens to the cluster
     */
    public ClusterFunctions(ClusterPlan plan, HostNode node, CompletableFuture<Home> home, ClusterEvents events) {
        this.node = node;
        this.home = home;
        this.membership = new Membership(plan, home, new ClusterEvents() {
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
    }

    /** Adds the scheduler's functions. */
    public Handlers bind(Handlers handlers) {
        Join join = (request, on) -> membership.join(request, node.connection());
        Visit visit = (request, on) -> membership.visit(request.guest(), node.connection());
        Beat beat = (request, on) -> membership.beat(request.epoch(), node.connection());
        Leave leave = (request, on) -> {
            Connection connection = node.connection();
            home.join().dispatcher().onNode(() -> membership.leave(connection)); // it ends the connection
            return new Leave.Response();
        };
        Hello hello = (request, on) -> {
            Connection connection = node.connection();
            Protocol agreed = home.join().admit(request, connection);
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
     * Places the slices of a tensor at other servers. Called on the scheduler's lane, where the nodes' questions for the state
     * wait meanwhile.
     *
     * @param servers [slices], the rank of each slice's server
     * @param carry makes the slices there, before any node learns of the new layout, which it receives
     */
    public void move(TensorId tensor, List<Integer> servers, Consumer<TensorLayout> carry) {
        TensorLayout to = catalog.moved(tensor, servers, List.of());
        carry.accept(to);
        catalog.move(to);
    }

    /** Removes the node of a connection to the scheduler that has closed. Called on the scheduler's lane. */
    public void closed(Connection connection) {
        membership.closed(connection);
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
    public record Home(Role role, int rank, Tickets tickets, Dispatcher dispatcher, boolean checks) {
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
     * @param home completed once the server has joined
     */
    public static Handlers bindHello(Handlers handlers, HostNode node, CompletableFuture<Home> home) {
        Hello hello = (request, on) -> {
            Connection connection = node.connection();
            return home.thenApply(server -> {
                Protocol agreed = server.admit(request, connection);
                Member caller = new Member(request.role(), request.rank(), "", 0);
                boolean isGuest = request.role() == Role.WORKER && request.rank() == Ticket.GUEST;
                if (isGuest && request.session().session() != 0) {
                    throw new PsException(
                            PsException.Code.BAD_REQUEST, "session of a guest: a number (expected: 0, for none)");
                }
                if (isGuest || request.session().session() == 0 && request.role() == Role.SERVER) {
                    server.dispatcher().accept(connection, caller);
                    return hello(agreed, handlers);
                }
                if (request.session().connection() > 0) {
                    server.dispatcher()
                            .resume(
                                    connection,
                                    caller,
                                    request.session().session(),
                                    request.session().connection());
                    return new Hello.Response(agreed, List.of(), "");
                }
                server.dispatcher().open(connection, caller, request.session().session());
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
