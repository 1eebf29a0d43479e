package io.psf.runtime.internal.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.runtime.internal.transport.net.NetTransport;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.FramePool;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The files of processes that are killed while they link. */
@Timeout(60)
final class AbandonedFilesTest {
    private final Process process;
    private final String name;
    private final Path file;

    AbandonedFilesTest() throws IOException {
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LinkingProcess.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        name = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
        file = SegmentFiles.find(name);
    }

    @AfterEach
    void end() throws Exception {
        kill();
        Files.deleteIfExists(file);
    }

    private void kill() throws InterruptedException {
        process.destroyForcibly();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }

    private static void age(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(3600)));
    }

    private static void startNode(NetTransport.Sharing sharing) {
        try (NetTransport node = new NetTransport(new FramePool(0), sharing, Duration.ZERO, ConnectionLimits.usual())) {
            assertThat(node).isNotNull();
        }
    }

    @Test
    void theStartOfANodeDeletesTheFileOfAProcessThatWasKilledWhileItLinked() throws Exception {
        assertThat(Files.size(file)).isGreaterThan(2 << 20);
        kill();
        startNode(NetTransport.Sharing.WHERE_POSSIBLE);
        assertThat(file).as("its maker might not have locked it yet").exists();
        age(file);
        startNode(NetTransport.Sharing.NEVER);
        assertThat(file).as("a node without shared memory").exists();
        startNode(NetTransport.Sharing.WHERE_POSSIBLE);
        assertThat(file).doesNotExist();
        assertThatThrownBy(() -> SharedSegment.open(name, new byte[16])).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void theFileOfALivingProcessStaysWhateverItsAge() throws Exception {
        age(file);
        for (int i = 0; i < 3; i++) { // the trial of a lock does not end it
            startNode(NetTransport.Sharing.WHERE_POSSIBLE);
            assertThat(file).exists();
        }
    }

    @Test
    void theFileOfALinkWithinThisProcessStays() throws Exception {
        SharedSegment segment = SharedSegment.create(4096);
        try {
            startNode(NetTransport.Sharing.WHERE_POSSIBLE);
            SharedSegment other = SharedSegment.open(segment.name(), segment.token());
            assertThat(other.name()).isEqualTo(segment.name());
        } finally {
            segment.unlink();
        }
        assertThatThrownBy(() -> SegmentFiles.find(segment.name())).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void filesThatAreNoSegmentsStay() throws Exception {
        Path other = file.resolveSibling("psf-of-a-user");
        Path link = file.resolveSibling("psf-" + "0123456789abcdef".repeat(2));
        Path open = file.resolveSibling("psf-" + "fedcba9876543210".repeat(2));
        try {
            Files.createFile(other);
            Files.createSymbolicLink(link, other);
            age(other);
            age(Files.createFile(open));
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-rw----"));
            startNode(NetTransport.Sharing.WHERE_POSSIBLE);
            assertThat(other).exists();
            assertThat(Files.isSymbolicLink(link)).isTrue();
            assertThat(open).as("permissions that psf does not give").exists();
        } finally {
            Files.deleteIfExists(link);
            Files.deleteIfExists(other);
            Files.deleteIfExists(open);
        }
    }
}
