package io.psf.runtime.spi.store;

import java.nio.file.Path;

/**
 * Creates the stores of a server. A server finds the provider on its class path, as a service ({@link
 * java.util.ServiceLoader}); without one, its tensors are in memory that the JDK allocates.
 */
public interface StoreProvider {
    /** Creates a store of native memory. */
    Store inMemory(MemoryLimit limit);

    /**
     * Creates a store of mapped files.
     *
     * @param below the folder below which the store may create folders and files
     * @throws io.psf.api.PsException with {@code CONFIGURATION} if it cannot
     */
    Store inFiles(Path below);
}
