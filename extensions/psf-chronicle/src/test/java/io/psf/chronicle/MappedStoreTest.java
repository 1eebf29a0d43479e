package io.psf.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.runtime.spi.store.Store;
import io.psf.runtime.spi.store.StoreContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MappedStoreTest extends StoreContract {
    @TempDir
    Path directory;

    @Override
    protected Store store() {
        return new ChronicleProvider().inFiles(directory);
    }

    @Test
    void closingLeavesNoFile() throws IOException {
        try (Store store = store()) {
            store.allocate("w", 4096).bytes().putInt(0, 1);
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }
}
