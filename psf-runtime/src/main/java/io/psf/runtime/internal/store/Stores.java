package io.psf.runtime.internal.store;

import io.psf.api.PsException;
import io.psf.api.spi.ServiceClassPath;
import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.store.NativeStore;
import io.psf.runtime.spi.store.Store;
import io.psf.runtime.spi.store.StoreProvider;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Creates stores: of the provider on the class path, or with the JDK alone. */
public final class Stores {
    private Stores() {}

    /**
     * Creates a store of native memory.
     *
     * @throws PsException with {@code CONFIGURATION} if the class path has several providers, or its provider cannot be
     *     created
     */
    public static Store inMemory(MemoryLimit limit) {
        StoreProvider found = provider();
        return found == null ? new NativeStore(limit, JdkMemory::allocate) : found.inMemory(limit);
    }

    /**
     * Creates a store of mapped files below a folder.
     *
     * @throws PsException as {@link #inMemory}, and if the class path has no provider
     */
    public static Store inFiles(Path below) {
        StoreProvider found = provider();
        if (found == null) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "directory for mapped shards: " + below
                            + ": mapped files are not on the class path (expected: the artifact io.psf:psf-chronicle)");
        }
        return found.inFiles(below);
    }

    private static @Nullable StoreProvider provider() {
        List<StoreProvider> found;
        try {
            found = ServiceLoader.load(StoreProvider.class, ServiceClassPath.of(Stores.class)).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "provider of stores: " + e.getMessage() + " (expected: one that can be created)",
                    e);
        }
        if (found.size() > 1) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "providers of stores: "
                            + found.stream()
                                    .map(each -> each.getClass().getName())
                                    .toList() + " (expected: one)");
        }
        return found.isEmpty() ? null : found.get(0);
    }
}
