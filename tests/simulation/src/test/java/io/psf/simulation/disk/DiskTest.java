package io.psf.simulation.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.FolderStore;
import io.psf.api.spi.OwnerFiles;
import io.psf.simulation.machine.Machine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DiskTest {
    /** What a test does on a disk. */
    private interface Body {
        void run(Disk disk, Path folder) throws IOException;
    }

    /**
     * Runs a body on disks of many seeds, loses their unforced changes, and returns the different states that are left.
     */
    private static Set<String> left(Body body) throws IOException {
        Set<String> states = new TreeSet<>();
        for (long seed = 0; seed < 100; seed++) {
            Disk disk = new Disk(new Machine(seed, false), "test");
            Path folder = OwnerFiles.createDirectories(disk.folder("folder"));
            OwnerFiles.forceNames(folder);
            body.run(disk, folder);
            disk.lose();
            StringBuilder state = new StringBuilder();
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
                for (Path each : files) {
                    state.append(each.getFileName())
                            .append('=')
                            .append(Files.readString(each).replace('\0', '0'));
                }
            }
            states.add(state.toString());
        }
        return states;
    }

    private static FileChannel write(Path file, String text, boolean isForced) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        append(channel, text);
        if (isForced) {
            channel.force(true);
        }
        return channel;
    }

    private static void append(FileChannel channel, String text) throws IOException {
        channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), channel.size());
    }

    @Test
    void whatIsForcedIsNotLost() throws IOException {
        assertThat(left((disk, folder) -> {
                    write(folder.resolve("a"), "12", true).close();
                    OwnerFiles.forceNamesIn(folder);
                }))
                .containsExactly("a=12");
    }

    @Test
    void aFileThatIsForcedMayLoseItsName() throws IOException {
        assertThat(left((disk, folder) -> write(folder.resolve("a"), "12", true).close()))
                .containsExactlyInAnyOrder("", "a=12");
    }

    @Test
    void unforcedWritesAreThereAsFarAsOneThatIsTorn() throws IOException {
        assertThat(left((disk, folder) -> {
                    try (FileChannel channel = write(folder.resolve("a"), "1", true)) {
                        OwnerFiles.forceNamesIn(folder);
                        append(channel, "23");
                        append(channel, "4");
                    }
                }))
                .containsExactlyInAnyOrder("a=1", "a=100", "a=12", "a=120", "a=123", "a=1230", "a=1234");
    }

    @Test
    void aRenamingIsThereAsAWholeOrNotAtAll() throws IOException {
        assertThat(left((disk, folder) -> {
                    write(folder.resolve("a"), "old", true).close();
                    write(folder.resolve("b"), "new", true).close();
                    OwnerFiles.forceNamesIn(folder);
                    Files.move(folder.resolve("b"), folder.resolve("a"), StandardCopyOption.ATOMIC_MOVE);
                }))
                .containsExactlyInAnyOrder("a=new", "a=oldb=new");
    }

    private static void with(Consumer<Disk> fault, String error) throws IOException {
        Disk disk = new Disk(new Machine(1, false), "test");
        Path file = disk.folder("file");
        FileChannel channel = write(file, "1", false);
        fault.accept(disk);
        assertThatThrownBy(() -> append(channel, "2"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(error);
        disk.mend();
        append(channel, "2");
        assertThat(Files.readString(file)).isEqualTo("12");
    }

    @Test
    void aFullDiskRefusesWrites() throws IOException {
        with(disk -> disk.setFull(true), "No space left on device");
    }

    /** A folder that cannot be read is not one without checkpoints: a job would begin anew. */
    @Test
    void aListOfAFailingDiskFailsOrIsWhole() throws IOException {
        Disk disk = new Disk(new Machine(1, false), "test");
        CheckpointStore store = new FolderStore(disk.folder("place"));
        store.prepare();
        for (int i = 0; i < 9; i++) {
            store.publish("m/" + i, new byte[1]);
        }
        disk.setErrors(200);
        int whole = 0;
        int failed = 0;
        for (int i = 0; i < 100; i++) {
            try {
                assertThat(store.list("m")).hasSize(9);
                whole++;
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("Input/output error");
                failed++;
            }
        }
        assertThat(whole).isPositive();
        assertThat(failed).isPositive();
    }

    @Test
    void aFailingDiskFails() throws IOException {
        with(disk -> disk.setErrors(1_000), "Input/output error");
    }

    @Test
    void aLockIsOneChannelsUntilItIsClosed() throws IOException {
        Path file = new Disk(new Machine(1, false), "test").folder("lock");
        FileChannel first = write(file, "", false);
        FileChannel second = write(file, "", false);
        try (FileLock lock = first.tryLock()) {
            assertThat(lock).isNotNull();
            assertThat(second.tryLock()).isNull();
            first.close();
            assertThat(second.tryLock()).isNotNull();
        }
        second.close();
    }
}
