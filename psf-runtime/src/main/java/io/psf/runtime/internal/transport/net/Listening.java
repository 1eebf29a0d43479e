package io.psf.runtime.internal.transport.net;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.internal.log.LogLimiter;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.Transport;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts connections, on the leader of the reactor. */
final class Listening implements Transport.Listener, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Listening.class);

    /** Begins the handshake of a new connection. */
    @FunctionalInterface
    interface Connections {
        /** Returns the connection; the selector runs it when bytes have arrived. */
        Accepted begin(SocketChannel socket) throws IOException;
    }

    private final ServerSocketChannel socket;
    private final Reactor reactor;
    private final ConnectionLimits limits;
    private final Connections connections;
    private final Set<Accepted> taken = ConcurrentHashMap.newKeySet();
    /**
     * The connections that have not identified themselves, the oldest first. Some of them are trusted or closed by now.
     */
    private final ArrayDeque<Accepted> strangers = new ArrayDeque<>();

    private final Runnable checks = this::check;
    private final LogLimiter failures = new LogLimiter();
    private final LogLimiter crowds = new LogLimiter();
    private volatile @Nullable SelectionKey key;

    Listening(ServerSocketChannel socket, Reactor reactor, ConnectionLimits limits, Connections connections) {
        this.socket = socket;
        this.reactor = reactor;
        this.limits = limits;
        this.connections = connections;
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
            Accepted accepted = connections.begin(next);
            strangers.add(accepted);
            taken.add(accepted);
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

    /**
     * Closes the oldest strangers that wait for nothing, up to {@code most} of them. True if at least one was closed.
     */
    private boolean cutOldest(int most) {
        int cut = 0;
        for (Iterator<Accepted> i = strangers.iterator(); i.hasNext() && cut < most; ) {
            Accepted stranger = i.next();
            if (stranger.isIdleStranger()) {
                i.remove();
                cut++;
                stranger.close(new PsException(Code.UNAVAILABLE, "cut off for a newer connection"));
            }
        }
        return cut > 0;
    }

    private void forgetKnown() {
        strangers.removeIf(stranger -> !stranger.isStrange());
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
        long now = reactor.checks().clock();
        strangers.forEach(stranger -> stranger.check(now));
        forgetKnown();
        taken.removeIf(connection -> !connection.isOpen());
        interest(SelectionKey.OP_ACCEPT);
    }

    @Override
    public int port() {
        return socket.socket().getLocalPort();
    }

    @Override
    public void close() {
        reactor.checks().removeOnCheck(checks);
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("closing a listener: {}", e.toString());
        }
        taken.forEach(Accepted::close);
        reactor.releaseClosed();
    }
}
