package io.psf.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.store.NativeStore;
import io.psf.runtime.spi.store.Store;
import io.psf.runtime.spi.store.StoreContract;
import java.time.Duration;
import net.openhft.chronicle.core.OS;
import org.junit.jupiter.api.Test;

final class ChronicleMemoryTest extends StoreContract {
    @Override
    protected Store store() {
        return new ChronicleProvider().inMemory(MemoryLimit.NONE);
    }

    /** Chronicle counts what it has allocated. */
    @Test
    void memoryIsFreedByItsAction() {
        int bytes = 1 << 28;
        long before = OS.memory().nativeMemoryUsed();
        NativeStore.Memory memory = ChronicleMemory.allocate(bytes, false);
        assertThat(OS.memory().nativeMemoryUsed()).isGreaterThanOrEqualTo(before + bytes);
        memory.free().run();
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(OS.memory().nativeMemoryUsed()).isLessThan(before + bytes));
    }
}
