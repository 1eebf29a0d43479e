package io.psf.simulation.net;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Transport;
import io.psf.simulation.machine.Machine;
import io.psf.simulation.machine.NodeThreads;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The network between the nodes. A node that is listened for has the port of its listener; ports are not used again by
 * another node. Used by the machine's threads alone, of which one runs at a time: without locks.
 */
public final class SimulatedNetwork {
    /** How long a connection to a node that does not answer is tried, in nanoseconds. */
    private static final long CONNECT_NANOS = 3_000_000_000L;

    private static final int FIRST_PORT = 10_000;

    private final Machine machine;
    private final SplittableRandom random;
    private final Map<Integer, SimulatedTransport.Listening> listeners = new TreeMap<>();
    private final List<SimulatedChannel> channels = new ArrayList<>();
    /** The names of nodes between which nothing arrives, each with the direction. */
    private final Set<String> holes = new HashSet<>();

    private final List<Thread> stalled = new ArrayList<>();
    private final Set<String> refusing = new HashSet<>();
    private long mostDelayNanos;
    private int breaksPerMille;
    private int nextPort = FIRST_PORT;

    /**
     * Creates a network.
     *
     * @param mostDelayNanos the longest usual time of a frame from one node to another
     */
    public SimulatedNetwork(Machine machine, long mostDelayNanos) {
        this.machine = machine;
        this.random = machine.random("network");
        this.mostDelayNanos = mostDelayNanos;
    }

    /** Returns the transport of a node. */
    public Transport transport(NodeThreads node, FramePool pool) {
        return new SimulatedTransport(this, node, pool);
    }

    Machine machine() {
        return machine;
    }

    SplittableRandom random() {
        return random;
    }

    long delay() {
        return 10_000 + random.nextLong(1 + mostDelayNanos);
    }

    // Faults.

    /** Sets the longest usual time of a frame, in nanoseconds. */
    public void setMostDelay(long nanos) {
        mostDelayNanos = nanos;
    }

    public long mostDelay() {
        return mostDelayNanos;
    }

    /** Breaks the connections between two nodes; frames that are under way are lost. Returns their number. */
    public int cut(String a, String b) {
        List<SimulatedChannel> between = channels.stream()
                .filter(each ->
                        each.near().name().equals(a) && each.peerNode().name().equals(b))
                .toList();
        between.forEach(this::breakDown);
        return between.size();
    }

    /** One end learns of it at once, the other one after a while, perhaps after frames that are under way. */
    private void breakDown(SimulatedChannel channel) {
        SimulatedChannel first = random.nextBoolean() ? channel : channel.other();
        first.breakDown("reset by the network");
    }

    /**
     * Lets frames between workers and servers break their connection.
     *
     * @param perMille of how many frames in 1,000; 0 for none
     */
    public void setBreaking(int perMille) {
        breaksPerMille = perMille;
    }

    /** True if a frame breaks its connection. */
    boolean breaks(NodeThreads from, NodeThreads to) {
        return breaksPerMille > 0
                && !from.name().equals("scheduler")
                && !to.name().equals("scheduler")
                && random.nextInt(1_000) < breaksPerMille;
    }

    /** Lets nothing arrive from one node at another one; connections between them stay open. */
    public void open(String from, String to) {
        holes.add(from + ">" + to);
    }

    /** Lets everything arrive again. */
    public void heal(String from, String to) {
        holes.remove(from + ">" + to);
        wakeStalled();
    }

    /** Lets a node refuse new connections, or accept them again. */
    public void setRefusing(String node, boolean refuses) {
        if (refuses) {
            refusing.add(node);
        } else {
            refusing.remove(node);
        }
    }

    /**
     * Ends all faults.
     *
     * @param nanos the longest usual time of a frame
     */
    public void mend(long nanos) {
        mostDelayNanos = nanos;
        breaksPerMille = 0;
        holes.clear();
        refusing.clear();
        wakeStalled();
    }

    /**
     * Removes what a killed node had.
     *
     * @param isSilent true if the peers learn nothing, as of a machine that has lost its power
     */
    public void kill(NodeThreads node, boolean isSilent) {
        listeners.values().removeIf(each -> each.node() == node && !isSilent);
        if (!isSilent) {
            List.copyOf(channels).stream()
                    .filter(each -> each.peerNode() == node)
                    .forEach(SimulatedChannel::endOfPeer);
        }
        channels.removeIf(each -> each.near() == node);
        wakeStalled();
    }

    /** Wakes the threads that wait for a hole to close. */
    public void wakeStalled() {
        List<Thread> all = List.copyOf(stalled);
        stalled.clear();
        all.forEach(LockSupport::unpark);
    }

    // For transports and channels.

    boolean arrives(NodeThreads from, NodeThreads to) {
        return !holes.contains(from.name() + ">" + to.name()) && !to.isKilled();
    }

    /** Blocks the thread until the network has changed. */
    void awaitChange() {
        stalled.add(Thread.currentThread());
        LockSupport.park(this);
    }

    void add(SimulatedChannel channel) {
        channels.add(channel);
    }

    void remove(SimulatedChannel channel) {
        channels.remove(channel);
    }

    int bind(int port, SimulatedTransport.Listening listener) {
        int chosen = port == 0 ? nextPort++ : port;
        SimulatedTransport.Listening before = listeners.get(chosen);
        if (before != null && !before.node().isKilled()) {
            throw new PsException(PsException.Code.UNAVAILABLE, "port " + chosen + ": in use");
        }
        listeners.put(chosen, listener);
        return chosen;
    }

    void unbind(int port, SimulatedTransport.Listening listener) {
        listeners.remove(port, listener);
    }

    /** Blocks for as long as a handshake takes. Returns the listener. */
    SimulatedTransport.Listening reach(NodeThreads from, int port) {
        long until = machine.now() + CONNECT_NANOS;
        sleep(delay() + delay());
        SimulatedTransport.Listening found = listeners.get(port);
        while (found != null && !answers(from, found.node())) {
            if (machine.now() > until) {
                throw new PsException(
                        PsException.Code.UNAVAILABLE, "connecting to port " + port + ": no answer within 3 s");
            }
            sleep(100_000_000);
            found = listeners.get(port);
        }
        if (found == null || refusing.contains(found.node().name())) {
            throw refused(port);
        }
        return found;
    }

    /** A machine accepts connections of a process that is stopped. */
    private boolean answers(NodeThreads from, NodeThreads to) {
        return arrives(from, to) && arrives(to, from);
    }

    static PsException refused(int port) {
        return new PsException(
                PsException.Code.UNAVAILABLE,
                "connecting to port " + port + ": Connection refused",
                new ConnectException("Connection refused"));
    }

    private static void sleep(long nanos) {
        try {
            Thread.sleep(nanos / 1_000_000, (int) (nanos % 1_000_000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PsException(PsException.Code.CANCELLED, "interrupted while connecting", e);
        }
    }

    /** Returns the numbers of open connections and of listeners, which nodes that are closed leave behind. */
    public @Nullable String leftovers() {
        return channels.isEmpty() && listeners.isEmpty()
                ? null
                : channels.size() + " ends of connections and " + listeners.size() + " listeners (expected: none)";
    }
}
