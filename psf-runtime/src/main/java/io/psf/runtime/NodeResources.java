package io.psf.runtime;

import io.psf.api.CallListener;
import io.psf.api.Member;
import io.psf.api.Metric;
import io.psf.api.Metrics;
import io.psf.api.Names;
import io.psf.api.NodeInfo;
import io.psf.api.NodeListener;
import io.psf.api.Role;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.cluster.ClusterLink;
import io.psf.runtime.internal.cluster.Join;
import io.psf.runtime.internal.cluster.JoinStage;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.FullHeap;
import io.psf.runtime.spi.transport.Transport;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts that a node of any role is made of: its network, the calling side, the timer, the listeners, and the parts
 * that are closed with it. A start that fails closes what it has opened. Thread-safe.
 */
final class NodeResources implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeResources.class);

    private final Network network;
    private final CallClient client;
    private final Timer timer;
    /** Closed before the transport, the last one first. Guarded by this. */
    private final Deque<AutoCloseable> users = new ArrayDeque<>();
    /** Closed after the transport, the last one first. Guarded by this. */
    private final Deque<AutoCloseable> receivers = new ArrayDeque<>();
    /** Guarded by this. */
    private final List<NodeListener> listeners = new ArrayList<>();
    /** Null until the node has started. Guarded by this. */
    private @Nullable NodeInfo info;
    /** Returns the numbers of the node. Guarded by this. */
    private Supplier<List<Metric>> metrics = List::of;
    /** Guarded by this. */
    private boolean closed;

    /**
     * Opens the parts that every node has.
     *
     * @param name the name of the node's threads
     */
    NodeResources(String name, Network network) {
        FullHeap.prepare(); // a node whose heap is full cannot load the class
        this.network = network;
        this.client = new CallClient(network.pool());
        this.timer = new Timer(name);
        Listeners.found(CallListener.class).forEach(this::listen);
        timer.every(Defaults.TICK, client::expire);
    }

    /** Runs what makes the node of these parts. Closes them if it fails. */
    <T> T start(Supplier<T> node) {
        try {
            return node.get();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    FramePool pool() {
        return network.pool();
    }

    Transport transport() {
        return network.transport();
    }

    CallClient client() {
        return client;
    }

    /** Runs work on the node's timer until the node is closed. */
    void every(Duration interval, Runnable work) {
        timer.every(interval, work);
    }

    /** Closes a part with the node, before the transport: it sends. */
    <T extends AutoCloseable> T sender(T part) {
        synchronized (this) {
            users.push(part);
        }
        return part;
    }

    /** Closes a part with the node, after the transport: it receives. */
    <T extends AutoCloseable> T receiver(T part) {
        synchronized (this) {
            receivers.push(part);
        }
        return part;
    }

    /** Accepts connections, until the node is closed. */
    Transport.Listener listen(String host, int port, Acceptor acceptor) {
        return sender(network.transport().listen(host, port, acceptor));
    }

    /** Joins the cluster, and leaves it when the node is closed. Blocks until the cluster is complete. */
    ClusterLink join(JoinConfig join, Join.Request request) {
        return join(join, request, stage -> {});
    }

    /**
     * Joins the cluster, and leaves it when the node is closed. Blocks until the cluster is complete.
     *
     * @param stages receives how far the node is, on the calling thread
     */
    ClusterLink join(JoinConfig join, Join.Request request, Consumer<JoinStage> stages) {
        ClusterLink link = ClusterLink.join(
                client,
                network.transport(),
                join.scheduler(),
                request.with(join.said()),
                join.security().secret(),
                join.timeout(),
                stages);
        sender((AutoCloseable) link::leave);
        every(Defaults.REPORTS, link::report);
        return receiver(link);
    }

    /** Adds a listener to the calls that this node makes from now on. */
    void listen(CallListener listener) {
        client.listen(listener);
        add(listener);
    }

    /** Tells a listener of the node, now or once it has started. */
    void add(NodeListener listener) {
        NodeInfo now;
        synchronized (this) {
            listeners.add(listener);
            now = info;
        }
        if (now != null) {
            tell(listener, now);
        }
    }

    /** Tells the listeners that a server or the scheduler has started, which is measured with these parts from now on. */
    void started(NodeInfo node, HostNode host) {
        host.measureWith(to -> measure(host.members(), to));
        started(node, () -> host.numbers().metrics());
    }

    /** Tells the listeners that a node that serves nobody has started. */
    void started(NodeInfo node, Members members) {
        started(node, () -> {
            Metrics all = new Metrics();
            measure(members.now(), all);
            return all.all();
        });
    }

    /** Knows the members of the cluster. */
    interface Members {
        List<Member> now();
    }

    private void started(NodeInfo node, Supplier<List<Metric>> numbers) {
        List<NodeListener> known;
        synchronized (this) {
            metrics = numbers;
            info = node;
            known = List.copyOf(listeners);
        }
        known.forEach(listener -> tell(listener, node));
    }

    /** Measures what every node has, on any thread. */
    private void measure(List<Member> members, Metrics to) {
        for (Role role : List.of(Role.SERVER, Role.WORKER)) {
            long present = members.stream().filter(each -> each.role() == role).count();
            to.with("role", role.label()).highest("psf.members", "nodes", "members of the cluster", present);
        }
        to.gauge("psf.memory.used", "bytes", "requests and answers in memory", pool().usedBytes());
        to.gauge("psf.memory.bound", "bytes", "the most that requests and answers may take", pool().bound());
        to.gauge("psf.calls.outstanding", "calls", "calls of this node without an answer", client.outstanding());
        Runtime jvm = Runtime.getRuntime();
        to.gauge("psf.heap.used", "bytes", "heap in use", jvm.totalMemory() - jvm.freeMemory());
        to.gauge("psf.heap.bound", "bytes", "the most that the heap may take", jvm.maxMemory());
    }

    private void tell(NodeListener listener, NodeInfo node) {
        try {
            listener.started(node, metrics);
        } catch (RuntimeException | Error e) { // the user's code
            LOG.warn("the listener {} failed", listener, Names.printable(e));
        }
    }

    /** Closes everything, once. A part that fails is logged, and the others are closed all the same. */
    @Override
    public void close() {
        List<AutoCloseable> all = new ArrayList<>();
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            all.addAll(users);
            all.add(timer);
            if (network.isOwned()) {
                all.add(network.transport());
            }
            all.addAll(receivers);
        }
        for (AutoCloseable part : all) {
            try {
                part.close();
            } catch (Exception | Error e) {
                LOG.warn("closing {} failed", part, Names.printable(e));
            }
        }
    }
}
