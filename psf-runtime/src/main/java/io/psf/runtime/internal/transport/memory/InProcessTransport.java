package io.psf.runtime.internal.transport.memory;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.Receiver;
import io.psf.runtime.spi.transport.Transport;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Channels within one JVM. The sender's thread passes each frame to the peer's receiver, without a copy. Addresses are
 * ports of this object; two transports do not share ports.
 */
public final class InProcessTransport implements Transport {
    private final Map<Integer, InProcessListener> listeners = new ConcurrentHashMap<>();
    private final AtomicInteger nextPort = new AtomicInteger(1);

    @Override
    public Listener listen(String host, int port, Acceptor acceptor) {
        int chosen = port;
        while (chosen == 0 || port == 0 && listeners.containsKey(chosen)) {
            chosen = nextPort.getAndIncrement();
        }
        InProcessListener listener = new InProcessListener(chosen, acceptor);
        if (listeners.putIfAbsent(chosen, listener) != null) {
            throw new PsException(PsException.Code.UNAVAILABLE, "port " + chosen + ": in use");
        }
        return listener;
    }

    @Override
    public Channel connect(String host, int port, Acceptor acceptor) {
        InProcessListener listener = listeners.get(port);
        if (listener == null) {
            throw new PsException(
                    PsException.Code.UNAVAILABLE, "in-process port: " + port + " (expected: one with a listener)");
        }
        InProcessChannel near = new InProcessChannel("in-process:" + port, acceptor);
        InProcessChannel far = new InProcessChannel("in-process", listener.acceptor);
        near.other = far;
        far.other = near;
        listener.channels.add(far);
        return near;
    }

    @Override
    public void close() {
        listeners.values().forEach(InProcessListener::close);
    }

    private final class InProcessListener implements Listener {
        private final int port;
        private final Acceptor acceptor;
        private final Set<InProcessChannel> channels = ConcurrentHashMap.newKeySet();

        InProcessListener(int port, Acceptor acceptor) {
            this.port = port;
            this.acceptor = acceptor;
        }

        @Override
        public int port() {
            return port;
        }

        @Override
        public void close() {
            listeners.remove(port, this);
            channels.forEach(InProcessChannel::close);
            channels.clear();
        }
    }

    /** One of the two ends of a channel. */
    private static final class InProcessChannel implements Channel {
        /**
         * True while the thread, one of a node's own, delivers an answer: frames that it sends meanwhile do not block
         * it.
         */
        private static final ThreadLocal<Boolean> ANSWERING = ThreadLocal.withInitial(() -> false);

        private final String peer;
        private final Receiver receiver;
        private final AtomicBoolean closed = new AtomicBoolean();
        private final Object gate = new Object();
        private @Nullable InProcessChannel other;
        private boolean reading = true;

        InProcessChannel(String peer, Acceptor acceptor) {
            this.peer = peer;
            this.receiver = acceptor.accept(this);
        }

        private InProcessChannel other() {
            if (other == null) {
                throw new IllegalStateException("other end: none");
            }
            return other;
        }

        @Override
        public void send(Frame frame, long deadline) {
            InProcessChannel to = other();
            if (!ANSWERING.get()) {
                try {
                    to.awaitReading(peer, deadline);
                } catch (PsException e) {
                    frame.release();
                    throw e;
                }
            }
            if (closed.get()) {
                frame.release();
                throw new PsException(PsException.Code.UNAVAILABLE, "connection to " + peer + ": closed");
            }
            to.deliver(frame);
        }

        @Override
        public void offer(Frame frame) {
            int length = frame.length();
            if (closed.get()) {
                frame.release();
            } else {
                boolean before = ANSWERING.get();
                ANSWERING.set(true);
                try {
                    other().deliver(frame);
                } finally {
                    ANSWERING.set(before);
                }
            }
            receiver.sent(this, length);
        }

        private void deliver(Frame frame) {
            receiver.received(this, frame);
        }

        /** Blocks until this end reads, or is closed. */
        private void awaitReading(String name, long deadline) {
            synchronized (gate) {
                while (!reading && !closed.get()) {
                    long millis = (deadline - System.nanoTime()) / 1_000_000;
                    if (millis <= 0) {
                        throw new PsException(PsException.Code.TIMED_OUT, name + " takes no more frames");
                    }
                    try {
                        gate.wait(millis);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new PsException(PsException.Code.CANCELLED, "interrupted while sending", e);
                    }
                }
            }
        }

        @Override
        public void setReading(boolean reading) {
            synchronized (gate) {
                this.reading = reading;
                gate.notifyAll();
            }
        }

        @Override
        public void trust() {}

        @Override
        public boolean isOpen() {
            return !closed.get();
        }

        @Override
        public String peer() {
            return peer;
        }

        @Override
        public String medium() {
            return "the memory of this process";
        }

        @Override
        public void close() {
            shut(this);
            shut(other());
        }

        private static void shut(InProcessChannel end) {
            if (end.closed.compareAndSet(false, true)) {
                end.setReading(true);
                end.receiver.closed(
                        end, new PsException(PsException.Code.UNAVAILABLE, "connection to " + end.peer + ": closed"));
            }
        }
    }
}
