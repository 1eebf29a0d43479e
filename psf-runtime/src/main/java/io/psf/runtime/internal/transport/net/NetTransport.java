package io.psf.runtime.internal.transport.net;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.PeerWatch;
import io.psf.runtime.spi.transport.TlsEngines;
import io.psf.runtime.spi.transport.Transport;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Channels over TCP, or over shared memory to nodes on the same machine. The threads that await answers read them. */
public final class NetTransport implements Transport {
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
    private final ConnectionLimits limits;
    private final Reactor reactor;
    private final WireFactory wires;
    private final boolean checks;
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
        this(pool, sharing, spin, limits, false);
    }

    /**
     * As the other constructor.
     *
     * @param checks true if the frames of connections over TCP that this side makes have checksums
     */
    public NetTransport(FramePool pool, Sharing sharing, Duration spin, ConnectionLimits limits, boolean checks) {
        this(pool, sharing, spin, limits, checks, null);
    }

    /**
     * As the other constructor.
     *
     * @param tls makes the engines of all connections; null for connections without TLS
     */
    public NetTransport(
            FramePool pool,
            Sharing sharing,
            Duration spin,
            ConnectionLimits limits,
            boolean checks,
            @Nullable TlsEngines tls) {
        this(
                pool,
                tls == null ? new SocketWires(sharing, pool) : new TlsWires(tls, sharing, pool),
                spin,
                limits,
                checks && tls == null); // the records of TLS cannot be changed on the way
    }

    NetTransport(FramePool pool, WireFactory wires, Duration spin, ConnectionLimits limits, boolean checks) {
        this.checks = checks;
        this.pool = pool;
        this.limits = limits;
        this.wires = wires;
        this.reactor = new Reactor("psf-net", spin.toNanos(), PeerWatch.interval(limits));
        reactor.start();
    }

    @Override
    public Listener listen(String host, int port, Acceptor acceptor) {
        Listening listening;
        try {
            ServerSocketChannel socket = ServerSocketChannel.open();
            listening = new Listening(socket, reactor, limits, accepted -> accept(accepted, acceptor));
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
            throw new PsException(Code.UNAVAILABLE, "listening on " + Member.address(host, port) + ": " + reason(e), e);
        }
        listeners.add(listening);
        return listening;
    }

    /** Begins the handshake of a connection that a peer has begun. */
    private Accepted accept(SocketChannel socket, Acceptor acceptor) throws IOException {
        socket.configureBlocking(false);
        Handshake handshake = wires.accept(socket);
        Accepted accepted = new Accepted(
                socket,
                peer(socket, true),
                handshake,
                (wire, peer) -> channel(wire, acceptor, peer),
                reactor.checks().failures());
        handshake.onReady(() -> reactor.execute(accepted));
        accepted.registered(reactor.register(socket, SelectionKey.OP_READ, accepted));
        return accepted;
    }

    private RemoteEnd peer(SocketChannel socket, boolean taken) throws IOException {
        return new RemoteEnd(
                name(socket), new PeerWatch(limits, taken, reactor.checks().clock()));
    }

    @Override
    public Channel connect(String host, int port, Acceptor acceptor) {
        try {
            ByteWire wire = wires.connect(() -> open(host, port), host, port);
            wire.socket().configureBlocking(false);
            WireChannel channel = channel(wire, acceptor, peer(wire.socket(), false));
            if (checks) {
                channel.useChecksums(); // before any other frame
            }
            return channel;
        } catch (PsException e) { // the other end answers a request for shared memory with something else
            throw new PsException(e.code(), "connecting to " + Member.address(host, port) + ": " + e.detail(), e);
        } catch (IOException | UnresolvedAddressException e) {
            throw new PsException(
                    Code.UNAVAILABLE, "connecting to " + Member.address(host, port) + ": " + reason(e), e);
        }
    }

    private static SocketChannel open(String host, int port) throws IOException {
        SocketChannel socket = SocketChannel.open();
        try {
            socket.socket().connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
            if (socket.getLocalAddress().equals(socket.getRemoteAddress())) {
                throw new ConnectException("Connection refused (a socket of this process had that port by chance)");
            }
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** Creates a channel over a wire; closes the wire if that fails. */
    private WireChannel channel(ByteWire wire, Acceptor acceptor, RemoteEnd peer) throws IOException {
        WireChannel channel = null;
        try {
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
        return address instanceof InetSocketAddress inet
                ? Member.address(inet.getHostString(), inet.getPort())
                : "a peer";
    }

    private static String reason(Exception cause) {
        if (cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException) {
            return "unknown host";
        }
        String message = cause.getMessage();
        return message == null ? cause.toString() : message;
    }

    @Override
    public void await(BooleanSupplier over, long deadline) throws InterruptedException {
        reactor.await(over, deadline);
    }

    @Override
    public void close() {
        listeners.forEach(Listening::close);
        wires.close();
        reactor.close();
    }
}
