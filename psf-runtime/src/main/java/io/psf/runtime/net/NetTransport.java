package io.psf.runtime.net;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.call.Channel;
import io.psf.runtime.call.FramePool;
import io.psf.runtime.call.Receiver;
import io.psf.runtime.call.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Channels over TCP, or over shared memory to nodes on the same machine, read by the threads that wait for answers. */
public final class NetTransport implements Transport {
    private static final Logger LOG = LoggerFactory.getLogger(NetTransport.class);
    private static final int CONNECT_MILLIS = 5000;
    private static final long PAUSE_NANOS = 10_000_000;

    /** When to go on over shared memory. */
    public enum Sharing {
        /** When both ends are on one machine and can. */
        WHERE_POSSIBLE,
        /** Always: whoever cannot is not reached. */
        ALWAYS,
        /** Never. */
        NEVER
    }

    private final FramePool pool;
    private final Sharing sharing;
    private final Reactor reactor;
    private final Set<Listening> listeners = ConcurrentHashMap.newKeySet();

    /**
     * A transport.
     *
     * @param pool where received frames are put
     * @param sharing when to go on over shared memory
     * @param spin how long a thread looks for what it waits for before it sleeps
     * @param partialFrameLimit how long a peer may pause in the middle of a frame
     */
    public NetTransport(FramePool pool, Sharing sharing, Duration spin, Duration partialFrameLimit) {
        this.pool = pool;
        this.sharing = sharing;
        this.reactor = new Reactor("psf-net", spin.toNanos(), partialFrameLimit.toNanos());
        reactor.start();
    }

    @Override
    public Listener listen(String host, int port, Receiver receiver) {
        Listening listening;
        try {
            ServerSocketChannel socket = ServerSocketChannel.open();
            listening = new Listening(socket, receiver);
            try {
                socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                socket.bind(new InetSocketAddress(host, port), 1024);
                socket.configureBlocking(false);
                reactor.serve();
                reactor.register(socket, SelectionKey.OP_ACCEPT, listening);
                reactor.wakeUp();
            } catch (IOException | UnresolvedAddressException e) {
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
    public Channel connect(String host, int port, Receiver receiver) {
        try {
            if (sharing != Sharing.NEVER) {
                SocketChannel socket = open(host, port);
                Wire wire = link(socket);
                if (wire != null) {
                    return channel(wire, receiver);
                }
                socket.close();
            }
            return channel(new SocketWire(open(host, port)), receiver);
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

    /** Goes on over shared memory; null if that is not possible, and not asked for. */
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
        }
    }

    private WireChannel channel(Wire wire, Receiver receiver) throws IOException {
        SocketChannel socket = wire.socket();
        socket.configureBlocking(false);
        WireChannel channel = new WireChannel(reactor, wire, receiver, pool, name(socket), sharing != Sharing.NEVER);
        reactor.add(channel);
        return channel;
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

    private final class Listening implements Listener, Runnable {
        private final ServerSocketChannel socket;
        private final Receiver receiver;
        private final Set<WireChannel> taken = ConcurrentHashMap.newKeySet();

        Listening(ServerSocketChannel socket, Receiver receiver) {
            this.socket = socket;
            this.receiver = receiver;
        }

        @Override
        public void run() {
            try {
                for (SocketChannel next = socket.accept(); next != null; next = socket.accept()) {
                    try {
                        taken.removeIf(channel -> !channel.isOpen());
                        next.setOption(StandardSocketOptions.TCP_NODELAY, true);
                        taken.add(channel(new SocketWire(next), receiver));
                    } catch (IOException e) {
                        LOG.debug("a connection broke at once: {}", e.toString());
                        next.close();
                    }
                }
            } catch (IOException e) {
                LOG.warn("taking connections: {}", e.toString());
                LockSupport.parkNanos(PAUSE_NANOS); // too many open files, say: it will be asked for at once again
            }
        }

        @Override
        public int port() {
            return socket.socket().getLocalPort();
        }

        @Override
        public void close() {
            listeners.remove(this);
            try {
                socket.close();
            } catch (IOException e) {
                LOG.debug("closing a listener: {}", e.toString());
            }
            taken.forEach(WireChannel::close);
            reactor.forgetClosed();
        }
    }
}
