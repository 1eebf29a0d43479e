package io.psf.runtime.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.store.NativeStore;
import io.psf.runtime.spi.store.Store;
import io.psf.runtime.spi.store.StoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The store of a process without other artifacts. */
final class JdkMemoryTest extends StoreContract {
    @Override
    protected Store store() {
        return new NativeStore(MemoryLimit.NONE, JdkMemory::allocate);
    }

    @Test
    void itServesWithoutAnArtifactAndHoldsTheLimit() {
        try (Store store = Stores.inMemory(MemoryLimit.of(1 << 20))) {
            assertThat(store.allocate("w", 1 << 20).bytes().capacity()).isEqualTo(1 << 20);
            assertThatThrownBy(() -> store.allocate("v", 1))
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.RESOURCE_EXHAUSTED))
                    .hasMessageContaining("memory for v: 1 bytes (expected: at most 0, the free part of 1048576");
        }
    }

    /** So that tensors need no -XX:MaxDirectMemorySize, as those of other stores. */
    @Test
    void itIsNotLimitedByTheDirectMemoryOfTheJvm() {
        try (Store store = store()) {
            for (int i = 0; i < 4; i++) { // 8 GB of capacity, and 2 GB is the limit of the tests' JVM
                assertThat(store.reserve("r." + i, Integer.MAX_VALUE - 8).take(8))
                        .isPositive();
            }
        }
    }

    @Test
    void mappedFilesAreRefusedWithTheirArtifact() {
        assertThatThrownBy(() -> Stores.inFiles(Path.of("/data")))
                .hasMessage("CONFIGURATION: directory for mapped shards: /data: mapped files are not on the class path"
                        + " (expected: the artifact io.psf:psf-chronicle)");
    }
}
