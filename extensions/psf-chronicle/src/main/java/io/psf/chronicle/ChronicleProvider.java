package io.psf.chronicle;

import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.store.NativeStore;
import io.psf.runtime.spi.store.Store;
import io.psf.runtime.spi.store.StoreProvider;
import java.nio.file.Path;

/** The service that brings the stores of this module. */
public final class ChronicleProvider implements StoreProvider {
    @Override
    public Store inMemory(MemoryLimit limit) {
        return new NativeStore(limit, ChronicleMemory::allocate);
    }

    @Override
    public Store inFiles(Path below) {
        return new MappedStore(below);
    }
}
