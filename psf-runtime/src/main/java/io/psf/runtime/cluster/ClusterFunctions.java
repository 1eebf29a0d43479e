package io.psf.runtime.cluster;

import io.psf.api.Member;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Names;
import io.psf.api.spi.TensorLayout;
import io.psf.runtime.server.Choice;
import io.psf.runtime.server.Connection;
import io.psf.runtime.server.Dispatcher;
import io.psf.runtime.server.Handlers;
import io.psf.runtime.server.HostNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The scheduler's side of the functions in this room, and the server's side of hello. */
public final class ClusterFunctions {
    /** What a connection may call before it is known who is at its other end. */
    public static final Set<Integer> OPEN_TO_STRANGERS = Set.of(JoinPsf.ID, HelloPsf.ID);

    private final Membership membership;
    private final Barriers barriers = new Barriers();
    private final Catalog catalog;

    /**
     * The scheduler of a cluster.
     *
     * @param onChange told who is there whenever that changes
     * @param onEnd told once when everybody has gone: with a failure if the job ended badly
     */
    public ClusterFunctions(
            int servers,
            int workers,
            Duration joinTimeout,
            Duration heartbeatLimit,
            long cluster,
            Consumer<List<Member>> onChange,
            Consumer<@Nullable PsException> onEnd) {
        this.catalog = new Catalog(servers);
        this.membership = new Membership(
                servers,
                workers,
                joinTimeout,
                heartbeatLimit,
                cluster,
                members -> {
                    onChange.accept(members);
                    barriers.membersChanged(members);
                },
                onEnd);
    }

    /** Adds the scheduler's functions. */
    public Handlers bind(Handlers handlers) {
        Join join = (request, node) -> membership.join(request, connection(node));
        Beat beat = (request, node) -> membership.beat(request.epoch(), connection(node));
        Leave leave = (request, node) -> {
            membership.leave(connection(node));
            return new Leave.Response();
        };
        Declare declare = (request, node) -> declare(request);
        Layout layout = (request, node) -> layout(request);
        Forget forget = (request, node) -> new Forget.Response(catalog.forget(tensor(request.name())));
        return handlers.with(JoinPsf.bind(join))
                .with(BeatPsf.bind(beat))
                .with(LeavePsf.bind(leave))
                .with(BarrierPsf.bind(barriers))
                .with(DeclarePsf.bind(declare))
                .with(LayoutPsf.bind(layout))
                .with(ForgetPsf.bind(forget));
    }

    /** A connection to the scheduler closed; on the scheduler's lane. */
    public void closed(Connection connection) {
        membership.closed(connection);
    }

    /** To be called several times within the heartbeat's limit, on the scheduler's lane. */
    public void tick() {
        membership.tick();
    }

    private Declare.Response declare(Declare.Request request) {
        TensorLayout layout;
        try {
            TensorInfo info = new TensorInfo(tensor(request.name()), request.rows(), request.width());
            layout = catalog.declare(info, request.slices(), request.declaration());
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new PsException(PsException.Code.BAD_REQUEST, String.valueOf(e.getMessage()), e);
        }
        return new Declare.Response(longs(layout.bounds()), ints(layout.servers()));
    }

    private Layout.Response layout(Layout.Request request) {
        TensorLayout layout = catalog.layout(tensor(request.name()));
        return new Layout.Response(
                layout.info().rows(), layout.info().width(), longs(layout.bounds()), ints(layout.servers()));
    }

    private static TensorId tensor(String name) {
        try {
            return TensorId.of(name);
        } catch (IllegalArgumentException e) {
            throw new PsException(PsException.Code.BAD_REQUEST, String.valueOf(e.getMessage()), e);
        }
    }

    private static long[] longs(List<Long> values) {
        return values.stream().mapToLong(Long::longValue).toArray();
    }

    private static int[] ints(List<Integer> values) {
        return values.stream().mapToInt(Integer::intValue).toArray();
    }

    private static Connection connection(Node node) {
        return ((HostNode) node).connection();
    }

    /**
     * What hello needs of a server.
     *
     * @param cluster the number of the cluster that it belongs to
     */
    public record Home(long cluster, Dispatcher dispatcher) {}

    /**
     * Adds hello to a server's functions; it is answered once the server knows its cluster.
     *
     * @param home once the server has joined
     */
    public static Handlers bindHello(Handlers handlers, CompletableFuture<Home> home) {
        Hello hello = (request, node) -> {
            Connection connection = connection(node);
            return home.thenApply(server -> {
                if (request.cluster() != server.cluster()) {
                    throw new PsException(
                            PsException.Code.BAD_REQUEST,
                            "cluster: " + Long.toHexString(request.cluster())
                                    + " (expected: the one that this server belongs to)");
                }
                if (connection.member() != null) { // or sessions would pile up that no connection ends
                    throw new PsException(
                            PsException.Code.BAD_REQUEST, "hello: a second one on this connection (expected: one)");
                }
                if (request.role() == Role.SERVER) {
                    connection.identify(new Member(Role.SERVER, request.rank(), "", 0));
                    return hello(handlers);
                }
                Member worker = new Member(Role.WORKER, request.rank(), "", 0);
                if (request.connection() > 0) {
                    server.dispatcher().resume(connection, worker, request.session(), request.connection());
                    return new Hello.Response(List.of(), "");
                }
                server.dispatcher().open(connection, worker, request.session());
                return hello(handlers);
            });
        };
        return handlers.with(HelloPsf.bind(hello));
    }

    private static Hello.Response hello(Handlers handlers) {
        List<Hello.Known> functions = new ArrayList<>();
        for (Choice choice : handlers.all()) {
            Binding<?, ?> binding = choice.binding();
            FunctionInfo info = binding.function().info();
            functions.add(
                    new Hello.Known(info.name(), info.readOnly(), info.place(), String.join("\n", info.schemas())));
        }
        return new Hello.Response(functions, handlers.searched());
    }

    /** What a server's hello says, by the numbers of the functions' names. */
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
