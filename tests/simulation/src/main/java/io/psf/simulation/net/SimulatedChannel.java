package io.psf.simulation.net;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Receiver;
import io.psf.simulation.machine.NodeThreads;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One end of a connection. */
final class SimulatedChannel implements Channel {
    /** The intervals in the limit of silence at which it is checked. */
    private static final int CHECKS = 8;

    private final SimulatedNetwork network;
    private final NodeThreads near;
    private final FramePool pool;
    private final String peer;
    private final boolean mayRunHandlers;
    private @Nullable Receiver receiver;
    private @Nullable SimulatedChannel far;
    /** What this end sends. */
    private @Nullable Direction out;

    private @Nullable Thread waiting;
    private @Nullable Thread waitingToRead;
    private boolean isReading = true;
    private boolean isOpen = true;
    private long silenceLimit;
    private long heardAt;

    SimulatedChannel(SimulatedNetwork network, NodeThreads near, FramePool pool, String peer) {
        this.network = network;
        this.near = near;
        this.pool = pool;
        this.peer = peer;
        this.mayRunHandlers = network.random().nextBoolean();
    }

    /** Connects this end to the other one. */
    void connect(SimulatedChannel other, Acceptor own, Acceptor others) {
        far = other;
        other.far = this;
        out = new Direction(network, this, other);
        other.out = new Direction(network, other, this);
        receiver = own.accept(this);
        other.receiver = others.accept(other);
        network.add(this);
        network.add(other);
    }

    NodeThreads near() {
        return near;
    }

    NodeThreads peerNode() {
        return far().near;
    }

    SimulatedChannel other() {
        return far();
    }

    private SimulatedChannel far() {
        if (far == null) {
            throw new IllegalStateException("other end: none");
        }
        return far;
    }

    private Direction out() {
        if (out == null) {
            throw new IllegalStateException("other end: none");
        }
        return out;
    }

    Receiver receiver() {
        if (receiver == null) {
            throw new IllegalStateException("receiver: none");
        }
        return receiver;
    }

    // Sending.

    @Override
    public void send(Frame frame, long deadline) {
        byte[] bytes = taken(frame);
        while (isOpen && out().isFull() && !Direction.isDelivering()) {
            waiting = Thread.currentThread();
            LockSupport.parkNanos(this, Math.max(1, deadline - System.nanoTime()));
            if (Thread.interrupted()) {
                Thread.currentThread().interrupt();
                throw new PsException(PsException.Code.CANCELLED, "interrupted while sending");
            } else if (deadline - System.nanoTime() <= 0) {
                throw new PsException(PsException.Code.TIMED_OUT, peer + " takes no more frames");
            }
        }
        if (!isOpen) {
            throw new PsException(PsException.Code.UNAVAILABLE, "connection to " + peer + ": closed");
        }
        out().add(bytes, 0);
    }

    @Override
    public void offer(Frame frame) {
        byte[] bytes = taken(frame);
        if (isOpen) {
            out().add(bytes, bytes.length);
        } else {
            receiver().sent(this, bytes.length);
        }
    }

    private static byte[] taken(Frame frame) {
        byte[] bytes = new byte[frame.length()];
        frame.bytes().get(0, bytes);
        frame.release();
        return bytes;
    }

    /** Called when the network has taken bytes of this end. */
    void sent(int offered) {
        if (offered > 0) {
            receiver().sent(this, offered);
        }
        LockSupport.unpark(waiting);
    }

    // Receiving, on a thread of this end's node.

    void deliver(byte[] bytes) {
        heardAt = network.machine().now();
        while (isOpen && !isReading) {
            waitingToRead = Thread.currentThread();
            LockSupport.park(this);
        }
        if (!isOpen) {
            return;
        }
        Frame frame = Frame.arriving(pool, bytes.length);
        if (frame.bytes().capacity() < bytes.length) {
            frame = frame.grown(pool, bytes.length);
        }
        ByteBuffer to = frame.bytes();
        to.clear();
        to.put(bytes).flip();
        try {
            receiver().received(this, frame);
        } catch (PsException | Error e) { // what the transport over sockets does
            breakDown("refused: " + e.getMessage());
        }
    }

    @Override
    public void setReading(boolean reading) {
        isReading = reading;
        LockSupport.unpark(waitingToRead);
    }

    // The end.

    @Override
    public void close() {
        if (shut()) {
            out().close();
            receiver()
                    .closed(this, new PsException(PsException.Code.UNAVAILABLE, "connection to " + peer + ": closed"));
        }
    }

    /** The process at the other end is gone: what it has sent may still arrive. */
    void endOfPeer() {
        out().drop();
        far().out().close();
    }

    /** Called when the other end has been closed, or the network has failed; on any thread. */
    void breakDown(String why) {
        if (shut()) {
            out().close();
            near.start(
                    "connection to " + peer,
                    () -> receiver()
                            .closed(
                                    this,
                                    new PsException(
                                            PsException.Code.UNAVAILABLE, "connection to " + peer + ": " + why)));
        }
    }

    private boolean shut() {
        if (!isOpen) {
            return false;
        }
        isOpen = false;
        network.remove(this);
        LockSupport.unpark(waiting);
        LockSupport.unpark(waitingToRead);
        return true;
    }

    @Override
    public void keepAlive(long limitNanos) {
        if (silenceLimit == 0) {
            heardAt = network.machine().now();
            silenceLimit = limitNanos;
            watch();
        }
        silenceLimit = limitNanos;
    }

    private void watch() {
        network.machine().after(silenceLimit / CHECKS, () -> {
            long now = network.machine().now();
            if (!isOpen || near.isKilled()) {
                return;
            }
            SimulatedChannel other = far();
            boolean isSigned = other.isOpen && other.silenceLimit > 0 && other.near.isRunning();
            if (isSigned && network.arrives(other.near, near) || !near.isRunning()) {
                heardAt = now;
            }
            if (now - heardAt >= silenceLimit) {
                silent();
            } else {
                watch();
            }
        });
    }

    /** The other end is not told: nothing arrives there. */
    private void silent() {
        if (shut()) {
            out().close();
            near.start(
                    "connection to " + peer,
                    () -> receiver()
                            .closed(
                                    this,
                                    new PsException(
                                            PsException.Code.UNAVAILABLE,
                                            "connection to " + peer + ": peer: silent (expected: a sign of life"
                                                    + " within " + silenceLimit / 1_000_000 + " ms)")));
        }
    }

    @Override
    public boolean mayRunHandlers() {
        return mayRunHandlers;
    }

    @Override
    public void trust() {}

    @Override
    public boolean isOpen() {
        return isOpen;
    }

    @Override
    public String peer() {
        return peer;
    }
}
