package io.psf.runtime;

import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Transport;

/**
 * The transport of a node, and the memory of its frames.
 *
 * @param isOwned true if the transport is closed with the node; false if several nodes of one JVM share it
 */
record Network(FramePool pool, Transport transport, boolean isOwned) {
    /** Opens the transport of a node that is alone in its process. */
    static Network open(TransportConfig config, FramePool pool, Security security) {
        return new Network(pool, Defaults.transport(config, pool, security), true);
    }

    /** Returns the transport that the nodes of a {@link PsCluster} share. */
    static Network shared(Transport transport, FramePool pool) {
        return new Network(pool, transport, false);
    }
}
