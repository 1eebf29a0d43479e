package io.psf.runtime.internal.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class TwoProcessesTest {
    private final long seed = Long.getLong("psf.test.seed", System.nanoTime());
    private final SharedSegment segment;
    private final Stream out = new Stream(seed, 100_000);
    private final Stream in = new Stream(seed + 1, 100_000);

    TwoProcessesTest() throws IOException {
        segment = SharedSegment.create(64 << 10);
        System.out.println("seed: " + seed);
    }

    private Process peer(long end) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        StreamPeer.class.getName(),
                        segment.name(),
                        HexFormat.of().formatHex(segment.token()),
                        Long.toString(seed),
                        Long.toString(seed + 1),
                        Long.toString(end))
                .inheritIO()
                .start();
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        segment.unlink();
    }

    @Test
    void twoProcessesExchangeTheirBytes() throws Exception {
        long end = 16 << 20;
        Process peer = peer(end);
        try {
            Stream.exchange(segment.pipe(), in, out, end);
            assertThat(peer.waitFor()).isZero();
            assertThatThrownBy(() -> SegmentFiles.find(segment.name())).isInstanceOf(NoSuchFileException.class);
        } finally {
            peer.destroyForcibly();
        }
    }

    @Test
    void aProcessThatIsKilledLeavesAFullRingAndGoodBytes() throws Exception {
        Process peer = peer(Long.MAX_VALUE);
        try {
            Stream.exchange(segment.pipe(), in, out, 4 << 20);
            peer.destroyForcibly().waitFor();
            while (in.read(segment.pipe())) {} // what it had written is checked as ever
            while (out.write(segment.pipe())) {}
            assertThat(segment.pipe().write(ByteBuffer.allocate(1))).isZero();
            assertThat(segment.pipe().prepareToWait(1)).isTrue();
            assertThat(segment.pipe().prepareToSleep(0)).isTrue();
        } finally {
            peer.destroyForcibly();
        }
    }
}
