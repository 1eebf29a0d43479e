package io.psf.api.spi;

import java.io.IOException;
import java.net.URI;

/** Opens places of checkpoints of a kind, such as {@code hdfs://}. A {@link java.util.ServiceLoader service}. */
public interface CheckpointStoreProvider {
    /**
     * Returns true if it has places of a scheme.
     *
     * @param scheme the scheme of a place, such as {@code s3a}
     */
    boolean has(String scheme);

    /**
     * Opens a place, which {@link CheckpointStore#prepare} creates if there is none.
     *
     * @throws IOException if the place cannot be opened
     * @throws IllegalArgumentException if the rest of the place is no place of the scheme
     */
    CheckpointStore open(URI place) throws IOException;
}
