package io.psf.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.FolderStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderStoreTest {
    @TempDir
    private Path folder;

    @Test
    void aFolderKeepsThePromises() throws IOException {
        StoreContract.check(new FolderStore(folder.resolve("a/b")), new FolderStore(folder.resolve("a/b")));
    }

    @Test
    void linksBelowTheFolderAreRefused() throws IOException {
        FolderStore store = new FolderStore(folder.resolve("store"));
        store.prepare();
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("model"), "another user's");
        Files.createSymbolicLink(folder.resolve("store/m"), elsewhere);
        assertThatThrownBy(() -> store.read("m/model")).hasMessageContaining("a symbolic link");
        assertThatThrownBy(() -> store.list("m")).hasMessageContaining("a symbolic link");
        assertThatThrownBy(() -> store.delete("m/model")).hasMessageContaining("a symbolic link");
        assertThatThrownBy(() -> store.publish("m/model", new byte[1])).hasMessageContaining("a symbolic link");
        assertThatThrownBy(() -> store.create("m/new")).hasMessageContaining("a symbolic link");
        assertThatThrownBy(() -> store.lock("m/lock", new byte[1])).hasMessageContaining("a symbolic link");
        assertThat(elsewhere.resolve("model")).hasContent("another user's");
    }

    /** Many files stay open until they are finished; more than that are opened again. */
    @Test
    void moreFilesAreWrittenThanStayOpen() throws IOException {
        FolderStore store = new FolderStore(folder);
        List<CheckpointStore.NewFile> files = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            CheckpointStore.NewFile file = store.create("m/" + i);
            file.write(ByteBuffer.wrap(new byte[i]));
            file.end();
            files.add(file);
        }
        assertThat(files).filteredOn(CheckpointStore.NewFile::isOpen).hasSize(256);
        for (CheckpointStore.NewFile each : files) {
            each.finish();
            each.close();
        }
        for (int i = 0; i < 300; i++) {
            assertThat(store.file("m/" + i).bytes()).isEqualTo(i);
        }
    }
}
