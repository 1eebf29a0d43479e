package io.psf.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.runtime.spi.store.Reservation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mapped memory on a disk that has as many free bytes as the test says. */
final class FullDiskTest {
    @TempDir
    Path directory;

    private final AtomicLong free = new AtomicLong();
    private MappedStore store;

    @BeforeEach
    void open() {
        store = new MappedStore(directory, new Disk(directory, free::get), Long.MAX_VALUE);
    }

    private void refused(ThrowingCallable call, String why) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.STORAGE))
                .hasMessage("STORAGE: disk of mapped shards: " + why);
    }

    @Test
    void aFolderThatCannotBeMadeIsRefusedWithWhatIsExpected() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "mine");
        assertThatThrownBy(() -> new MappedStore(file))
                .hasMessageStartingWith("CONFIGURATION: directory for mapped shards: " + file + ", ")
                .hasMessageEndingWith(" (expected: one that this server can create and write)");
    }

    @Test
    void memoryThatTheDiskHasNoSpaceForIsRefusedBeforeAnyIsWritten() throws IOException {
        free.set(1 << 20);
        refused(
                () -> store.allocate("w.0.values", (1 << 20) + 1),
                "1048577 bytes for w.0.values in " + directory + " (expected: at most 1048576, the free space)");
        assertThat(directory).isEmptyDirectory();
        ByteBuffer memory = store.allocate("w.0.values", 1 << 20).bytes();
        memory.putInt(0, 7);
        assertThat(memory.getInt(0)).isEqualTo(7);
    }

    @Test
    void memoryOfSeveralFilesIsPromisedIfTheDiskHasSpaceForAllOfThem() {
        free.set(100);
        store.promise("tensor \"w\"", 100);
        refused(
                () -> store.promise("tensor \"w\"", 101),
                "101 bytes for tensor \"w\" in " + directory + " (expected: at most 100, the free space)");
    }

    @Test
    void roomIsTakenUntilTheDiskIsFullAndFurtherOnceItIsNot() {
        Reservation reservation = store.reserve("w.0.values", 10 << 20);
        refused(
                () -> reservation.take(1),
                "1 bytes for w.0.values in " + directory + " (expected: at most 0, the free space)");
        free.set(100);
        assertThat(reservation.take(100)).isEqualTo(100); // and no more ahead
        reservation.bytes().put(99, (byte) 7);
        refused(
                () -> reservation.take(300),
                "200 bytes for w.0.values in " + directory + " (expected: at most 100, the free space)");
        assertThat(reservation.take(90)).isEqualTo(100);
        free.set(Long.MAX_VALUE);
        assertThat(reservation.take(300)).isGreaterThan(300);
        assertThat(reservation.bytes().get(99)).isEqualTo((byte) 7);
    }

    @Test
    void aWriteThatFailsSaysWhyAndWhatIsFree() throws IOException {
        Path file = Files.createFile(directory.resolve("gone"));
        free.set(5000);
        FileChannel closed = FileChannel.open(file, StandardOpenOption.WRITE);
        closed.close();
        Disk disk = new Disk(directory, free::get);
        assertThatThrownBy(() -> disk.take(closed, "w", 0, 10))
                .isInstanceOf(PsException.class)
                .hasMessageStartingWith("STORAGE: disk of mapped shards: 10 bytes for w in " + directory + " (")
                .hasMessageEndingWith(", expected: at most 5000, the free space)");
    }
}
