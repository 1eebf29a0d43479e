package io.psf.api.spi;

import io.psf.api.Node;
import io.psf.api.PsException;
import java.nio.file.Path;

/**
 * A node with the directory for checkpoints, for the functions that save and load tensors. Every node implements this
 * interface. The other functions need {@link Node} alone.
 */
public interface StoredNode extends Node {
    /**
     * Returns the directory for checkpoints that this node was configured with.
     *
     * @throws PsException with {@code CONFIGURATION} if none was configured
     */
    Path checkpoints();
}
