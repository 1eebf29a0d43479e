package io.psf.runtime.internal.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.psf.api.Names;
import io.psf.api.PsException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SharedSegmentTest {
    private final List<Path> files = new ArrayList<>();

    private SharedSegment segment() throws IOException {
        SharedSegment segment = SharedSegment.create(4096);
        files.add(SegmentFiles.find(segment.name()));
        return segment;
    }

    private Path file() {
        return files.get(files.size() - 1);
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
    }

    @Test
    void aSegmentIsAFileOfItsOwnerAlone() throws IOException {
        SharedSegment segment = segment();
        assertThat(segment.name()).matches("psf-[0-9a-f]{32}");
        assertThat(segment.token()).hasSize(16);
        assertThat(Files.size(file())).isEqualTo(4096 + 2 * 4096);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
        assertThat(segment().name()).isNotEqualTo(segment.name());
    }

    @Test
    void theMemoryOutlivesTheFile() throws IOException {
        SharedSegment created = segment();
        SharedSegment opened = SharedSegment.open(created.name(), created.token());
        opened.unlink();
        assertThat(file()).doesNotExist();
        created.unlink();
        ByteBuffer into = ByteBuffer.allocate(10);
        created.pipe().write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        assertThat(opened.pipe().read(into)).isEqualTo(3);
        opened.pipe().write(into.flip());
        assertThat(created.pipe().read(into.clear())).isEqualTo(3);
        assertThat(into.get(2)).isEqualTo((byte) 3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "psf-",
                "../etc/passwd",
                "/dev/shm/psf-0123456789abcdef0123456789abcdef",
                "../shm/psf-0123456789abcdef0123456789abcdef",
                "psf-0123456789ABCDEF0123456789ABCDEF",
                "psf-0123456789abcdef0123456789abcdef\n",
                "psf-0123456789abcdef0123456789abcde\0",
                "psf-0123456789abcdef0123456789abcdef0"
            })
    void anythingButANameIsRefused(String name) {
        assertThatThrownBy(() -> SharedSegment.open(name, new byte[16]))
                .isInstanceOf(IOException.class)
                .hasMessage("name of a shared segment: \"" + Names.printable(name) + "\" (expected: psf-[0-9a-f]{32})");
    }

    @Test
    void aLongNameIsNotRepeatedInFull() {
        assertThatThrownBy(() -> SharedSegment.open("x".repeat(1_000_000), new byte[16]))
                .isInstanceOf(IOException.class)
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(200));
    }

    @Test
    void aFileThatIsNotThereIsSaidToBe() {
        assertThatThrownBy(() -> SharedSegment.open("psf-" + "0".repeat(32), new byte[16]))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("shared segment psf-00000000000000000000000000000000: none (expected: in [");
    }

    @Test
    void aLinkIsRefused() throws IOException {
        SharedSegment segment = segment();
        Path link = SegmentFiles.newPath();
        files.add(Files.createSymbolicLink(link, file()));
        refused(() -> SharedSegment.open(link.getFileName().toString(), segment.token()), "kind of " + link);
    }

    @Test
    void aDirectoryIsRefused() throws IOException {
        files.add(Files.createDirectory(SegmentFiles.newPath()));
        refused(() -> SharedSegment.open(file().getFileName().toString(), new byte[16]), "kind of " + file());
    }

    @Test
    void aFileThatOthersMayReadIsRefused() throws IOException {
        SharedSegment segment = segment();
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r--r--"));
        refused(
                () -> SharedSegment.open(segment.name(), segment.token()),
                "permissions of " + file() + ": rw-r--r-- (expected: rw-------)");
    }

    @Test
    void anothersFileIsRefused() throws IOException {
        SharedSegment segment = segment();
        assumeTrue((int) Files.getAttribute(file(), "unix:uid") == 0, "only root gives files away");
        Files.setAttribute(file(), "unix:uid", 65534);
        refused(() -> SharedSegment.open(segment.name(), segment.token()), "owner of " + file());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 4096, 3 * 4096 - 1, 3 * 4096 + 1, 5 * 4096, 1L << 40})
    void aFileOfAnotherSizeIsRefused(long size) throws IOException {
        SharedSegment segment = segment();
        resize(size);
        refused(() -> SharedSegment.open(segment.name(), segment.token()), "size of " + file() + ": " + size);
    }

    @ParameterizedTest
    @CsvSource({
        "0, magic of",
        "7, magic of",
        "8, version of",
        "12, byte order of",
        "15, byte order of",
        "16, capacity of",
        "19, capacity of",
        "20, other side of",
        "24, size stated in",
        "31, size stated in",
        "32, token of",
        "47, token of"
    })
    void aHeaderWithAByteChangedIsRefused(int at, String what) throws IOException {
        SharedSegment segment = segment();
        try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, at);
            channel.write(one.put(0, (byte) (one.get(0) ^ 0x80)).flip(), at);
        }
        refused(() -> SharedSegment.open(segment.name(), segment.token()), what + " " + file());
    }

    @Test
    void aCapacityThatDoesNotFitTheSizeIsRefused() throws IOException {
        SharedSegment segment = segment();
        resize(5 * 4096);
        refused(
                () -> SharedSegment.open(segment.name(), segment.token()),
                "size of " + file() + ": 20480 (expected: 12288)");
    }

    @Test
    void aSegmentIsOpenedByWhoKnowsItsTokenAndOnce() throws IOException {
        SharedSegment segment = segment();
        byte[] token = segment.token();
        refused(() -> SharedSegment.open(segment.name(), new byte[16]), "token of");
        refused(() -> SharedSegment.open(segment.name(), new byte[0]), "token of");
        SharedSegment.open(segment.name(), token);
        refused(() -> SharedSegment.open(segment.name(), token), "other side of");
    }

    @ParameterizedTest
    @ValueSource(ints = {-4096, 0, 1, 2048, 5000, 128 << 20, Integer.MIN_VALUE})
    void aCapacityThatIsNoneIsRefused(int capacity) {
        assertThatThrownBy(() -> SharedSegment.create(capacity))
                .isInstanceOf(PsException.class)
                .hasMessage("CONFIGURATION: capacity of a ring: " + capacity
                        + " (expected: a power of two from 4096 to 67108864)");
    }

    /**
     * The JVM says so at once in code that is not compiled; in code that is it may say so later, or take the memory for
     * zeros.
     */
    @Test
    void aFileCutUnderTheMappingEndsThePipeAndNotTheProcess() throws Exception {
        for (int warmth : new int[] {0, 20_000}) {
            SharedSegment created = segment();
            SharedPipe pipe = created.pipe();
            SharedPipe other =
                    SharedSegment.open(created.name(), created.token()).pipe();
            for (int i = 0; i < warmth; i++) {
                pipe.write(ByteBuffer.allocate(100));
                other.read(ByteBuffer.allocate(100));
                other.prepareToSleep(0);
                pipe.readerToBeWoken();
            }
            resize(0);
            failsOrNothing(() -> other.read(ByteBuffer.allocate(100)));
            failsOrNothing(() -> pipe.write(ByteBuffer.allocate(100)));
        }
    }

    /** In a thread of its own, since the JVM's error may come at any place after the access. */
    @SuppressWarnings("ThreadPriorityCheck") // a call of the system, after which a late error is there
    private static void failsOrNothing(ThrowingCallable access) throws InterruptedException {
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            for (int i = 0; i < 100; i++) {
                try {
                    access.call();
                    Thread.yield();
                } catch (Throwable e) {
                    end.complete(e);
                }
            }
        });
        thread.setUncaughtExceptionHandler((self, e) -> end.complete(e));
        thread.start();
        thread.join();
        assertThat(end.getNow(new IOException("nothing yet"))).isInstanceOfAny(IOException.class, InternalError.class);
    }

    private void resize(long size) throws IOException {
        try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
            if (size < channel.size()) {
                channel.truncate(size);
            } else {
                channel.write(ByteBuffer.allocate(1), size - 1);
            }
        }
    }

    private static void refused(ThrowingCallable open, String message) {
        assertThatThrownBy(open).isInstanceOf(IOException.class).hasMessageContaining(message);
    }
}
