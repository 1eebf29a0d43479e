package io.psf.runtime.internal.transport.net;

import io.psf.api.PsException;
import io.psf.runtime.internal.transport.shm.SharedSegment;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.HandshakeTasks;
import io.psf.runtime.spi.transport.TlsEngines;
import io.psf.runtime.spi.transport.TlsFailure;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes wires over sockets with TLS, and over shared memory if both sides agree to it. They do so over TLS, after each
 * has proved its certificate; the socket is the doorbell then, without TLS.
 */
final class TlsWires implements WireFactory {
    private static final Logger LOG = LoggerFactory.getLogger(TlsWires.class);

    /** How long the peer may take for its part of a handshake. */
    private static final int HANDSHAKE_MILLIS = 5000;

    private final TlsEngines engines;
    private final NetTransport.Sharing sharing;
    private final FramePool pool;
    private final HandshakeTasks tasks = new HandshakeTasks();

    /** Creates the wires of a node. Deletes the files of shared memory that killed processes have left. */
    TlsWires(TlsEngines engines, NetTransport.Sharing sharing, FramePool pool) {
        this.engines = engines;
        this.sharing = sharing;
        this.pool = pool;
        if (sharing != NetTransport.Sharing.NEVER) {
            SharedSegment.deleteAbandoned();
        }
    }

    @Override
    public ByteWire connect(Sockets sockets, String host, int port) throws IOException {
        SocketChannel socket = sockets.open();
        try {
            TlsWire wire = secured(socket, host, port);
            return sharing == NetTransport.Sharing.NEVER ? wire : shared(wire);
        } catch (IOException | RuntimeException | Error e) {
            socket.close();
            throw e;
        }
    }

    /** Runs the handshake. Blocks. */
    private TlsWire secured(SocketChannel socket, String host, int port) throws IOException {
        TlsSteps steps = new TlsSteps(engines.connecting(host, port));
        BlockingBytes.Timed from = new BlockingBytes.Timed(socket, HANDSHAKE_MILLIS);
        try {
            while (true) {
                TlsSteps.Need need = steps.proceed();
                if (!steps.flush(socket)) {
                    throw new IOException("a socket that blocks took less than it was given");
                }
                if (need == TlsSteps.Need.NOTHING) {
                    return new TlsWire(socket, steps.engine(), engines, steps.received());
                }
                if (need == TlsSteps.Need.BYTES && steps.receive(from) < 0) {
                    throw new TlsFailure("the other end closed the connection in the handshake (expected: a node"
                            + " with " + TlsEngines.SETTINGS + ")");
                }
            }
        } catch (SocketTimeoutException e) {
            throw new TlsFailure(
                    "the other end did not answer the handshake (expected: within " + HANDSHAKE_MILLIS + " ms)", e);
        } catch (SSLException | RuntimeException e) {
            steps.sendAlert(socket);
            throw engines.failure(e);
        }
    }

    private ByteWire shared(TlsWire wire) throws IOException {
        try {
            return SharedLink.propose(new BlockingBytes(wire, SharedLink.LINK_MILLIS), pool);
        } catch (SharedLink.Declined e) {
            if (sharing == NetTransport.Sharing.ALWAYS) {
                throw e;
            }
            LOG.debug("no shared memory: {}", e.toString());
            return wire;
        } catch (EOFException | PsException e) {
            throw new IOException("the request for shared memory was not answered: " + e.getMessage(), e);
        }
    }

    @Override
    public Handshake accept(SocketChannel socket) throws IOException {
        HandshakeTasks.Stranger handshake = tasks.stranger(address(socket));
        return new TlsAccept(socket, engines, handshake, pool, sharing != NetTransport.Sharing.NEVER);
    }

    private static InetAddress address(SocketChannel socket) throws IOException {
        if (socket.getRemoteAddress() instanceof InetSocketAddress remote) {
            return remote.getAddress();
        }
        throw new IOException("connection closed");
    }

    @Override
    public void close() {
        tasks.close();
    }
}
