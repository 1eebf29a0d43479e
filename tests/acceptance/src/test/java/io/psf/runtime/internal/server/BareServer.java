package io.psf.runtime.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.DeclaredTensor;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.Shard;
import io.psf.api.TensorLayout;
import io.psf.api.spi.Function;
import io.psf.api.spi.Routing;
import io.psf.api.spi.StoredShard;
import io.psf.api.spi.TupleWriter;
import io.psf.builtin.tensor.InitTensor;
import io.psf.builtin.tensor.InitTensorPsf;
import io.psf.builtin.tensor.ListTensors;
import io.psf.builtin.tensor.ListTensorsPsf;
import io.psf.runtime.internal.server.handler.Handlers;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.internal.server.shard.Placements;
import io.psf.runtime.internal.store.Stores;
import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.RecordedChannel;
import io.psf.runtime.spi.transport.RequestHeader;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** A server that holds the one slice of a tensor, and the connections of its workers, which a test writes frames to. */
final class BareServer implements AutoCloseable {
    private final FramePool pool = new FramePool(1 << 20);
    private final DeclaredTensor tensor;
    private final HostNode node;
    private final Connections connections;
    private final Dispatcher dispatcher;
    private final List<Line> lines = new ArrayList<>();

    /** Starts a server with a new shard. */
    BareServer(DeclaredTensor tensor, int workers) {
        this.tensor = tensor;
        node = HostNode.start("bare", Role.SERVER, 1, Placements.host(Stores.inMemory(MemoryLimit.NONE)), null, pool);
        connections = new Connections(node, pool, 1 << 20);
        dispatcher = new Dispatcher(
                node,
                connections,
                pool,
                Handlers.found(BareServer.class.getClassLoader()),
                Set.of(ListTensorsPsf.ID, InitTensorPsf.ID));
        node.setMembers(IntStream.range(0, workers)
                .mapToObj(rank -> new Member(Role.WORKER, rank, "", 0))
                .toList());
        node.setDeclarations((names, epoch) -> CompletableFuture.completedFuture(List.of(tensor)));
        Line first = new Line();
        InitTensor.Request init =
                new InitTensor.Request(List.of(tensor.layout().info().id()), 0);
        first.call(InitTensorPsf.FUNCTION, init, Routing.overNodes(1), 1, 0);
        assertThat(first.next()).isEqualTo("1: OK");
    }

    /** Connects the workers: each has a session from now on. */
    void connect(int workers) {
        for (int rank = 0; rank < workers; rank++) {
            Line line = new Line();
            line.call(ListTensorsPsf.FUNCTION, new ListTensors.Request(), Routing.overNodes(1), 1, 0);
            assertThat(line.next()).isEqualTo("1: OK");
            Connection connection = Objects.requireNonNull(connections.get(line));
            connections.open(connection, new Member(Role.WORKER, rank, "", 0), 1, 100 + rank);
            lines.add(line);
        }
    }

    /** Returns the connection of a worker. */
    Line worker(int rank) {
        return lines.get(rank);
    }

    /** Runs work on the shard, on its lane. */
    <T> T onShard(java.util.function.Function<StoredShard, T> work) {
        CompletableFuture<T> done = new CompletableFuture<>();
        node.lane()
                .execute(() -> node.handled()
                        .onShards(tensor.layout().info().id(), shard -> work.apply((StoredShard) shard))
                        .whenComplete((all, failure) -> {
                            if (failure != null) {
                                done.completeExceptionally(failure);
                            } else {
                                done.complete(all.get(0));
                            }
                        }));
        return done.orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        dispatcher.close();
    }

    /** A worker's end of a connection. */
    final class Line extends RecordedChannel {

        Line() {
            connectTo(dispatcher);
        }

        /** Sends a call to the shard. */
        <Q> void call(Function<Q, ?> function, Q request, long call, int attempt) {
            call(function, request, Routing.overSlices(function, request, tensor.layout()), call, attempt);
        }

        private <Q> void call(Function<Q, ?> function, Q request, Routing routing, long call, int attempt) {
            TupleWriter tuple = new TupleWriter();
            function.write(request, routing, 0, tuple);
            TensorLayout layout = tensor.layout();
            RequestHeader.Target target = function.info().place() == io.psf.api.Place.SHARD
                    ? new RequestHeader.Target(layout.info().id().number(), 0, layout.stamp(0))
                    : new RequestHeader.Target(0, 0, (short) 0);
            RequestHeader header = new RequestHeader(function.info(), target, call, 20_000, attempt, 0);
            receive(Frames.request(pool, header, tuple));
        }

        /** Waits for an answer: the number of the call, and its outcome. */
        String next() {
            Frame frame = take();
            String text = frame.call() + ": " + frame.status()
                    + (frame.status() == PsException.Code.OK
                            ? ""
                            : " " + frame.reader(null).string());
            frame.release();
            return text;
        }

        /** Returns true if there is no answer after the work that the lane has now. */
        boolean waits() {
            onShard(Shard::rows);
            return sent().isEmpty();
        }
    }
}
