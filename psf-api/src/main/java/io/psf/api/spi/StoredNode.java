package io.psf.api.spi;

import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.RequestListener;
import java.nio.file.Path;

/**
 * A node with the directory for checkpoints, for the functions that save and load tensors; with its class path, for the
 * function that makes tensors; and with its listeners, for the functions that count requests. Every node implements this interface. The other functions need {@link Node} alone.
 */
public interface StoredNode extends Node {
    /**
     * Returns the directory for checkpoints that this node was configured with.
     *
     * @throws PsException with {@code CONFIGURATION} if none was configured
     */
    Path checkpoints();

    /** Returns the class path that this node was started with, where it finds handlers and named classes. */
    ClassLoader classPath();

    /** Adds a listener to the requests that this node handles from now on. The test kit's nodes make no events. */
    void listen(RequestListener listener);
}
