package io.psf.runtime.internal.transport.net;

import io.psf.api.PsException;
import io.psf.runtime.internal.transport.shm.SharedSegment;
import io.psf.runtime.spi.transport.FramePool;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes wires over sockets, and over shared memory if both sides agree to it. */
final class SocketWires implements WireFactory {
    private static final Logger LOG = LoggerFactory.getLogger(SocketWires.class);

    private final NetTransport.Sharing sharing;
    private final FramePool pool;

    /** Creates the wires of a node. Deletes the files of shared memory that killed processes have left. */
    SocketWires(NetTransport.Sharing sharing, FramePool pool) {
        this.sharing = sharing;
        this.pool = pool;
        if (sharing != NetTransport.Sharing.NEVER) {
            SharedSegment.deleteAbandoned();
        }
    }

    @Override
    public ByteWire connect(Sockets sockets, String host, int port) throws IOException {
        if (sharing == NetTransport.Sharing.NEVER) {
            return new SocketWire(sockets.open());
        }
        SocketChannel socket = sockets.open();
        try {
            return SharedLink.propose(new BlockingBytes(new SocketWire(socket), SharedLink.LINK_MILLIS), pool);
        } catch (IOException | PsException e) {
            socket.close();
            if (sharing == NetTransport.Sharing.ALWAYS) {
                throw e;
            }
            LOG.debug("no shared memory: {}", e.toString());
            return new SocketWire(sockets.open());
        } catch (RuntimeException | Error e) {
            socket.close();
            throw e;
        }
    }

    @Override
    public Handshake accept(SocketChannel socket) {
        return new FirstFrame(new SocketWire(socket), pool, sharing != NetTransport.Sharing.NEVER);
    }
}
