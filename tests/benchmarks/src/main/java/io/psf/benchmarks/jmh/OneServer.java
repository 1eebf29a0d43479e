package io.psf.benchmarks.jmh;

import io.psf.api.Member;
import io.psf.api.Optimizer;
import io.psf.api.Role;
import io.psf.api.Shard;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.spi.Binding;
import io.psf.api.spi.Routing;
import io.psf.api.spi.StoredNode;
import io.psf.api.spi.TupleWriter;
import io.psf.builtin.tensor.Clear;
import io.psf.builtin.tensor.ClearPsf;
import io.psf.runtime.internal.server.Connections;
import io.psf.runtime.internal.server.Dispatcher;
import io.psf.runtime.internal.server.handler.Handlers;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.shard.Placements;
import io.psf.runtime.internal.store.Stores;
import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.Receiver;
import io.psf.runtime.spi.transport.RequestHeader;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The core of a server, without a network: a dispatcher, the session of one worker, and one shard. */
final class OneServer implements Channel, AutoCloseable {
    private static final Member WORKER = new Member(Role.WORKER, 0, "", 0);
    private static final long FIRST_CALL = 1;

    final FramePool pool = new FramePool(64 << 20);
    private final HostNode node;
    private final Connections connections;
    private final Dispatcher dispatcher;
    private final Receiver receiver;
    private final CompletableFuture<Shard> shard = new CompletableFuture<>();

    /** The number of answered frames; the answers are dropped. */
    private volatile long answers;

    /** Starts the server with one shard that holds a whole tensor. */
    OneServer(TensorInfo tensor, Optimizer optimizer, Binding<?, ?>... functions) {
        Clear hello = new Clear() { // a function that is not readOnly may create shards
                    @Override
                    public CompletionStage<Response> handle(Request request, StoredNode on) {
                        open(tensor, optimizer);
                        return CompletableFuture.completedFuture(new Response(0));
                    }
                };
        Handlers handlers = Handlers.found(new ClassLoader(null) {}).with(ClearPsf.bind(hello));
        for (Binding<?, ?> function : functions) {
            handlers = handlers.with(function);
        }
        node = HostNode.start("bench", Role.SERVER, 1, Placements.host(Stores.inMemory(MemoryLimit.NONE)), null, pool);
        connections = new Connections(node, pool, 64 << 20);
        dispatcher = new Dispatcher(node, connections, pool, handlers, Set.of(ClearPsf.ID));
        node.setMembers(List.of(WORKER));
        receiver = dispatcher.accept(this);
        RequestHeader header = RequestHeader.toNode(ClearPsf.FUNCTION.info(), 0, FIRST_CALL, 60_000);
        TupleWriter tuple = new TupleWriter();
        ClearPsf.FUNCTION.write(new Clear.Request(tensor.id()), Routing.overNodes(1), 0, tuple);
        receiver.received(this, Frames.request(pool, header, tuple));
        var unused = shard.join();
    }

    private void open(TensorInfo tensor, Optimizer optimizer) {
        connections.open(node.connection(), WORKER, 1, 1);
        node.handled().create(TensorLayout.even(tensor, new int[] {0}), 0, optimizer, shard::complete);
    }

    /** Returns the shard, for work outside its lane, which must be idle meanwhile. */
    Shard shard() {
        return shard.join();
    }

    /** Passes a frame to the dispatcher, like a connection. */
    void receive(Frame frame) {
        receiver.received(this, frame);
    }

    /** Returns the number of answers so far. */
    long answers() {
        return answers;
    }

    @Override
    public void send(Frame frame, long deadline) {
        offer(frame);
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // only the lane answers, after the node's only call
    public void offer(Frame frame) {
        int length = frame.length();
        frame.release();
        receiver.sent(this, length); // else the server defers calls once 4 MB are unsent
        answers++;
    }

    @Override
    public void setReading(boolean reading) {}

    @Override
    public void trust() {}

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public String peer() {
        return "bench";
    }

    @Override
    public void close() {
        dispatcher.close();
    }
}
