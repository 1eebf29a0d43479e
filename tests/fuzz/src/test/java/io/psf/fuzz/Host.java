package io.psf.fuzz;

import io.psf.api.DeclaredTensor;
import io.psf.api.Member;
import io.psf.api.Node;
import io.psf.api.Role;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorDeclaration.Rounds;
import io.psf.api.TensorDeclaration.Rule;
import io.psf.api.TensorInfo;
import io.psf.builtin.tensor.InitTensor;
import io.psf.builtin.tensor.InitTensorPsf;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.CallLimits;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.internal.cluster.Challenge;
import io.psf.runtime.internal.cluster.ChallengePsf;
import io.psf.runtime.internal.cluster.ClusterFunctions;
import io.psf.runtime.internal.cluster.HelloPsf;
import io.psf.runtime.internal.cluster.Identity;
import io.psf.runtime.internal.cluster.ServerFunctions;
import io.psf.runtime.internal.cluster.Ticket;
import io.psf.runtime.internal.cluster.Tickets;
import io.psf.runtime.internal.server.Connections;
import io.psf.runtime.internal.server.Dispatcher;
import io.psf.runtime.internal.server.handler.Handlers;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.shard.Placements;
import io.psf.runtime.internal.store.Stores;
import io.psf.runtime.internal.transport.memory.InProcessTransport;
import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Receiver;
import io.psf.runtime.spi.transport.Transport;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A server that holds the samples' tensor, an honest worker of it, and the frames that went between them. */
public final class Host implements AutoCloseable {
    private static final Member SERVER = new Member(Role.SERVER, 0, "", 0);
    private static final long SESSION = -1;
    /** The bytes of the features in a hello: a name of 8 letters, and a boolean. */
    private static final int FEATURES = 4 + 8 + 1;

    /**
     * Behind two versions, the list of features, a role, a rank, the epoch of the join, an empty grant and a cluster.
     */
    private static final int SESSION_AT = Frame.HEADER + 40 + FEATURES;
    /** Behind that, the number of a connection, and the proof's length. */
    private static final int PROOF_AT = SESSION_AT + 16;
    /** Behind its length. */
    private static final int NONCE_AT = Frame.HEADER + 4;

    private static final int NONCE_BYTES = 16;

    private static final long LIMIT = TimeUnit.SECONDS.toNanos(20);

    private final FramePool pool = new FramePool(1 << 20);
    private final HostNode node;
    private final Connections connections;
    private final Dispatcher dispatcher;
    private final InProcessTransport transport = new InProcessTransport();
    private final CallClient client = new CallClient(pool);
    private final Peer peer;
    private final Ticket ticket;
    private final byte[] challenge;
    private final byte[] hello;
    private final List<byte[]> requests = Collections.synchronizedList(new ArrayList<>());
    private final List<byte[]> answers = Collections.synchronizedList(new ArrayList<>());

    /** Starts it. */
    public Host() {
        Handlers handlers = Handlers.found(Host.class.getClassLoader())
                .with(AllTypesPsf.bind(new AllTypes() {}))
                .with(ProducedPsf.bind(new Produced() {}))
                .with(ListedPsf.bind(new Listed() {}));
        CompletableFuture<Identity> joined = new CompletableFuture<>();
        node = HostNode.start("fuzz", Role.SERVER, 1, Placements.host(Stores.inMemory(MemoryLimit.NONE)), null, pool);
        connections = new Connections(node, pool, 64 << 20);
        dispatcher = new Dispatcher(
                node,
                connections,
                pool,
                ServerFunctions.bind(handlers, node, connections, joined, CompletableFuture.completedFuture(null)),
                ClusterFunctions.OPEN_TO_STRANGERS);
        node.setMembers(List.of(new Member(Role.WORKER, 0, "", 0)));
        Tickets tickets = Tickets.fresh();
        ticket = tickets.of(Role.WORKER, 0, 1);
        joined.complete(new Identity(SERVER.role(), SERVER.rank(), tickets, false, null));
        Transport.Listener listener = transport.listen("", 0, recording(requests, dispatcher));
        Transport recorded = new Transport() {
            @Override
            public Listener listen(String host, int port, Acceptor acceptor) {
                throw new UnsupportedOperationException();
            }

            @Override
            public io.psf.runtime.spi.transport.Channel connect(String host, int port, Acceptor acceptor) {
                return transport.connect(host, port, recording(answers, acceptor));
            }

            @Override
            public void close() {}
        };
        peer = client.connect(recorded, "", listener.port(), "server 0");
        byte[] nonce = client.callNodes(ChallengePsf.FUNCTION, new Challenge.Request(), List.of(peer), LIMIT)
                .await()
                .nonce();
        client.callNodes(HelloPsf.FUNCTION, ticket.hello(SERVER, SESSION, 0, nonce), List.of(peer), LIMIT)
                .await();
        challenge = requests.get(0);
        hello = requests.get(1);
        TensorInfo info = Sample.LAYOUT.info();
        TensorDeclaration declaration = new TensorDeclaration(
                info,
                2,
                "",
                Node.HOST,
                new Rule("psf.constant", Map.of("value", "1"), Map.of()),
                new Rule("psf.add", Map.of("scale", "1"), Map.of()),
                Rounds.NONE,
                Map.of(),
                "");
        DeclaredTensor tensor = new DeclaredTensor(declaration, Sample.LAYOUT);
        node.setDeclarations((tensors, epoch) -> CompletableFuture.completedFuture(List.of(tensor)));
        InitTensor.Request init = new InitTensor.Request(List.of(info.id()), 0);
        client.callNodes(InitTensorPsf.FUNCTION, init, List.of(peer), LIMIT).await();
    }

    private static Acceptor recording(List<byte[]> frames, Acceptor acceptor) {
        return channel -> recording(frames, acceptor.accept(channel));
    }

    private static Receiver recording(List<byte[]> frames, Receiver receiver) {
        return new Receiver() {
            @Override
            public void received(io.psf.runtime.spi.transport.Channel channel, Frame frame) {
                byte[] bytes = new byte[frame.length()];
                frame.bytes().get(0, bytes);
                frames.add(bytes);
                receiver.received(channel, frame);
            }

            @Override
            public boolean takesLent() {
                return receiver.takesLent();
            }

            @Override
            public boolean admits(io.psf.runtime.spi.transport.Channel channel, int length) {
                return receiver.admits(channel, length);
            }

            @Override
            public void sent(io.psf.runtime.spi.transport.Channel channel, long bytes) {
                // Without it the server waits for its worker to take its answers, once they are 4 MB.
                receiver.sent(channel, bytes);
            }

            @Override
            public void closed(io.psf.runtime.spi.transport.Channel channel, io.psf.api.PsException cause) {
                receiver.closed(channel, cause);
            }
        };
    }

    /** Calls a function, and answers once all has come back. */
    public <Q, R> R call(Sample<Q, R> sample) {
        requests.clear();
        answers.clear();
        return client.start(client.onShards(
                        sample.function(),
                        sample.request(),
                        null,
                        Sample.LAYOUT,
                        tensor -> Sample.LAYOUT,
                        List.of(peer),
                        CallLimits.of(LIMIT)))
                .await();
    }

    /** The frames of the last call to the server. */
    public List<byte[]> requests() {
        return List.copyOf(requests);
    }

    /** The frames of the last call to the worker. */
    public List<byte[]> answers() {
        return List.copyOf(answers);
    }

    /** A frame that a connection may begin with. */
    public byte[] hello() {
        return hello.clone();
    }

    /**
     * The frame that a connection begins with, once it has asked for its challenge.
     *
     * @param session another one for each connection
     */
    public byte[] hello(Wire wire, long session) throws InterruptedException {
        byte[] question = challenge.clone();
        Bytes.answers(question, 1);
        wire.receive(dispatcher, Bytes.arrived(pool, question));
        byte[] answer = Objects.requireNonNull(wire.sent().poll(LIMIT, TimeUnit.NANOSECONDS), "answer");
        byte[] nonce = Arrays.copyOfRange(answer, NONCE_AT, NONCE_AT + NONCE_BYTES);
        byte[] frame = hello.clone();
        byte[] proof = ticket.hello(SERVER, session, 0, nonce).proof();
        Bytes.little(frame).putLong(SESSION_AT, session).put(PROOF_AT, proof);
        return frame;
    }

    /** What takes the frames of every connection. */
    public Dispatcher dispatcher() {
        return dispatcher;
    }

    /** Returns the server's connections. */
    public Connections connections() {
        return connections;
    }

    /** Returns the node that the handlers run on. */
    public HostNode node() {
        return node;
    }

    /** Where its frames come from. */
    public FramePool pool() {
        return pool;
    }

    @Override
    public void close() {
        transport.close();
        dispatcher.close();
    }
}
