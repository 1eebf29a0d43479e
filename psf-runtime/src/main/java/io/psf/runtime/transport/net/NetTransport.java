package io.psf.runtime.transport.net;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.transport.Acceptor;
import io.psf.runtime.transport.Channel;
import io.psf.runtime.transport.ConnectionLimits;
import io.psf.runtime.transport.FramePool;
import io.psf.runtime.transport.PeerWatch;
import io.psf.runtime.transport.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Channels over TCP, or over shared memory to nodes on the same machine. The threads that await answers read them. */
public final class NetTransport implements Transport {
    private static final Logger LOG = LoggerFactory.getLogger(NetTransport.class);
    private static final int CONNECT_MILLIS = 5000;

    /** When a connection continues over shared memory. */
    public enum Sharing {
        /** If both ends are on one machine and support it. */
        WHERE_POSSIBLE,
        /** Always: connecting to a peer that does not support it fails. */
        ALWAYS,
        /** Never. */
        NEVER
    }

    private final FramePool pool;
    private final Sharing sharing;
    private final ConnectionLimits limits;
    private final Reactor reactor;
    private final Set<Listening> listeners = ConcurrentHashMap.newKeySet();

    /**
     * Creates a transport.
     *
     * @param pool for the memory of received frames
     * @param sharing when a connection continues over shared memory
     * @param spin how long a thread spins for what it waits for before it blocks
     * @param limits on the time and memory that peers can cost this side
     */
    public NetTransport(FramePool pool, Sharing sharing, Duration spin, ConnectionLimits limits) {
        this.pool = pool;
        this.sharing = sharing;
        this.limits = limits;
        this.reactor = new Reactor("psf-net", spin.toNanos(), PeerWatch.interval(limits));
        reactor.start();
    }

    @Override
    public Listener listen(String host, int port, Acceptor acceptor) {
        Listening listening;
        try {
            ServerSocketChannel socket = ServerSocketChannel.open();
            listening = new Listening(socket, acceptor);
            try {
                socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                socket.bind(new InetSocketAddress(host, port), 1024);
                socket.configureBlocking(false);
                reactor.serve(acceptor::isBusy);
                listening.begin(reactor.register(socket, SelectionKey.OP_ACCEPT, listening));
                reactor.wakeUp();
            } catch (IOException | RuntimeException | Error e) {
                socket.close();
                throw e;
            }
        } catch (IOException | UnresolvedAddressException e) {
            throw new PsException(Code.UNAVAILABLE, "listening on " + host + ":" + port + ": " + reason(e), e);
        }
        listeners.add(listening);
        return listening;
    }

    @Override
    public Channel connect(String host, int port, Acceptor acceptor) {
        try {
            if (sharing != Sharing.NEVER) {
                SocketChannel socket = open(host, port);
                Wire wire = link(socket);
                if (wire != null) {
                    return channel(wire, acceptor, false);
                }
                socket.close();
            }
            return channel(new SocketWire(open(host, port)), acceptor, false);
        } catch (IOException | UnresolvedAddressException e) {
            throw new PsException(Code.UNAVAILABLE, "connecting to " + host + ":" + port + ": " + reason(e), e);
        }
    }

    private static SocketChannel open(String host, int port) throws IOException {
        SocketChannel socket = SocketChannel.open();
        try {
            socket.socket().connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** Requests shared memory; null if that is not possible and not required. */
    private @Nullable Wire link(SocketChannel socket) throws IOException {
        try {
            return SharedLink.offer(socket, pool);
        } catch (IOException | PsException e) {
            if (sharing == Sharing.ALWAYS) {
                socket.close();
                throw e;
            }
            LOG.debug("no shared memory with {}: {}", name(socket), e.toString());
            return null;
        } catch (RuntimeException | Error e) {
            socket.close();
            throw e;
        }
    }

    /** Creates a channel over a wire; closes the wire if that fails. */
    private WireChannel channel(Wire wire, Acceptor acceptor, boolean taken) throws IOException {
        WireChannel channel = null;
        try {
            SocketChannel socket = wire.socket();
            socket.configureBlocking(false);
            PeerWatch watch = new PeerWatch(limits, taken, reactor.checks().clock());
            Peer peer = new Peer(name(socket), watch, sharing != Sharing.NEVER);
            channel = new WireChannel(reactor, wire, acceptor, pool, peer);
            reactor.add(channel);
            return channel;
        } catch (IOException | RuntimeException | Error e) {
            if (channel == null) {
                wire.close();
            } else {
                channel.close();
            }
            throw e;
        }
    }

    private static String name(SocketChannel socket) throws IOException {
        SocketAddress address = socket.getRemoteAddress();
        return address instanceof InetSocketAddress inet ? inet.getHostString() + ":" + inet.getPort() : "a peer";
    }

    private static String reason(Exception cause) {
        String message = cause.getMessage();
        return message == null ? cause.toString() : message;
    }

    @Override
    public void close() {
        listeners.forEach(Listening::close);
        reactor.close();
    }

    /** Accepts connections, on the leader of the reactor. */
    private final class Listening implements Listener, Runnable {
        private final ServerSocketChannel socket;
        private final Acceptor acceptor;
        private final Set<WireChannel> taken = ConcurrentHashMap.newKeySet();
        /**
         * The connections that have not identified themselves, the oldest first. Some of them are trusted or closed by
         * now.
         */
        private final ArrayDeque<WireChannel> strangers = new ArrayDeque<>();

        private final Runnable checks = this::check;
        private final LogLimiter failures = new LogLimiter();
        private final LogLimiter crowds = new LogLimiter();
        private volatile @Nullable SelectionKey key;

        Listening(ServerSocketChannel socket, Acceptor acceptor) {
            this.socket = socket;
            this.acceptor = acceptor;
        }

        void begin(SelectionKey key) {
            this.key = key;
            reactor.checks().onCheck(checks);
        }

        @Override
        public void run() {
            try {
                for (SocketChannel next = socket.accept(); next != null; next = socket.accept()) {
                    take(next);
                }
            } catch (ClosedChannelException e) {
                LOG.trace("closed meanwhile", e);
            } catch (IOException | RuntimeException | Error e) { // for example too many open files, or no memory
                pause(e);
            }
        }

        private void take(SocketChannel next) throws IOException {
            try {
                if (!hasPlace()) {
                    next.close();
                    return;
                }
                next.setOption(StandardSocketOptions.TCP_NODELAY, true);
                WireChannel channel = channel(new SocketWire(next), acceptor, true);
                strangers.add(channel);
                taken.add(channel);
            } catch (IOException e) {
                LOG.debug("a connection broke at once: {}", e.toString());
                next.close();
            } catch (RuntimeException | Error e) {
                next.close();
                throw e;
            }
        }

        /** True if one more stranger can be accepted, if need be in place of the oldest. */
        private boolean hasPlace() {
            if (strangers.size() < limits.strangers()) {
                return true;
            }
            forgetKnown();
            boolean crowded = strangers.size() >= limits.strangers();
            if (crowded && crowds.allows()) {
                LOG.warn(
                        "connections without a hello: {} (expected: fewer); the oldest of them are cut off",
                        strangers.size());
            }
            return !crowded || cutOldest(1);
        }

        /** Closes the oldest strangers that wait for nothing, at most so many. True if at least one was closed. */
        private boolean cutOldest(int most) {
            int cut = 0;
            for (Iterator<WireChannel> i = strangers.iterator(); i.hasNext() && cut < most; ) {
                WireChannel channel = i.next();
                if (channel.watch().isIdleStranger()) {
                    i.remove();
                    cut++;
                    channel.close(new PsException(Code.UNAVAILABLE, "cut off for a newer connection"));
                }
            }
            return cut > 0;
        }

        private void forgetKnown() {
            strangers.removeIf(channel -> !channel.isOpen() || !channel.watch().isStrange());
        }

        /** Accepts no more connections until the next check. Closes up to half of the strangers, the oldest ones. */
        private void pause(Throwable why) {
            interest(0);
            reactor.checks().soon();
            cutOldest(Math.max(1, strangers.size() / 2));
            if (failures.allows()) {
                LOG.warn("accepting connections: {}; not logged again for a minute", why.toString());
            }
        }

        private void interest(int operations) {
            SelectionKey with = key;
            try {
                if (with != null && with.interestOps() != operations) {
                    with.interestOps(operations);
                }
            } catch (CancelledKeyException e) {
                LOG.trace("closed meanwhile", e);
            }
        }

        private void check() {
            forgetKnown();
            taken.removeIf(channel -> !channel.isOpen());
            interest(SelectionKey.OP_ACCEPT);
        }

        @Override
        public int port() {
            return socket.socket().getLocalPort();
        }

        @Override
        public void close() {
            listeners.remove(this);
            reactor.checks().removeOnCheck(checks);
            try {
                socket.close();
            } catch (IOException e) {
                LOG.debug("closing a listener: {}", e.toString());
            }
            taken.forEach(WireChannel::close);
            reactor.releaseClosed();
        }
    }
}
