package io.psf.runtime.internal.transport.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.fuzz.Bytes;
import io.psf.fuzz.Script;
import io.psf.runtime.internal.transport.shm.SharedPipe;
import io.psf.runtime.internal.transport.shm.SharedSegment;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.provider.MethodSource;

/** What takes frames out of shared memory, from a writer that puts anything there, in pieces of any size. */
@EnabledIf("io.psf.fuzz.Natives#areThere")
@Tag("long")
final class RingFuzzTest {
    private static final int CAPACITY = 64 << 10;
    private static final int FROM_A_STRANGER = 64 << 10;
    private static final int KIND = 4;
    private static final int WORD = 8;

    private static final SharedPipe WRITER;
    private static final SharedPipe READER;

    // One for all, since each would be mapped until it is collected.
    static {
        try {
            SharedSegment created = SharedSegment.create(CAPACITY);
            WRITER = created.pipe();
            READER = SharedSegment.open(created.name(), created.token()).pipe();
            created.unlink();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Stream<byte[]> seeds() {
        return DecoderFuzzTest.seeds();
    }

    @MethodSource("seeds")
    @FuzzTest
    void theFramesInTheRingAreTakenOutAndNothingElse(byte[] script) throws IOException {
        Script edits = new Script(script);
        int how = edits.next();
        boolean trusted = (how & 1) != 0;
        boolean lends = (how & 4) != 0;
        int piece = 1 + 16 * edits.next();
        byte[] stream = (how & 2) != 0 ? edits.rest() : DecoderFuzzTest.stream(edits);
        long written = 0;
        List<byte[]> frames = new ArrayList<>();
        boolean refused = false;
        try (SocketChannel doorbell = SocketChannel.open()) {
            RingFrames ring =
                    new RingFrames(new SharedWire(READER, doorbell, null), new FramePool(1 << 20), lends, () -> {});
            if (trusted) {
                ring.trust();
            }
            try {
                while (written < stream.length) {
                    int n = Math.min(piece, stream.length - (int) written);
                    written += WRITER.write(ByteBuffer.wrap(stream, (int) written, n));
                    for (Frame frame = ring.next(); frame != null; frame = ring.next()) {
                        frames.add(taken(frame));
                    }
                    ring.fetch();
                }
            } catch (PsException e) {
                assertThat(e.code()).isEqualTo(Code.PROTOCOL);
                refused = true;
            }
            ring.release();
        } finally {
            empty(written);
        }
        requireFramesOf(stream, trusted, frames, refused);
    }

    private static byte[] taken(Frame frame) {
        byte[] bytes = new byte[frame.bytes().remaining()];
        frame.bytes().get(0, bytes);
        frame.release();
        return bytes;
    }

    /** Leaves the ring as it was, with its beginning next. */
    private static void empty(long written) throws IOException {
        skipAll();
        int rest = (int) (-written & (CAPACITY - 1));
        WRITER.write(ByteBuffer.allocate(rest));
        skipAll();
    }

    private static void skipAll() throws IOException {
        READER.skip(READER.available(CAPACITY));
    }

    /** By the protocol's page; what follows a gap is not looked at. */
    private static void requireFramesOf(byte[] stream, boolean trusted, List<byte[]> frames, boolean refused) {
        int at = 0;
        int taken = 0;
        while (stream.length - at >= WORD) {
            if ((stream[at + KIND] & 0xff) == SharedPipe.GAP) {
                return;
            }
            int length = Bytes.length(stream, at);
            if (!Bytes.hasHeader(stream, at) || length > (trusted ? Frame.MAX_LENGTH : FROM_A_STRANGER)) {
                assertThat(refused).as("refused at byte " + at).isTrue();
                break;
            }
            if (length > stream.length - at) {
                break;
            }
            assertThat(frames).hasSizeGreaterThan(taken);
            assertThat(frames.get(taken)).isEqualTo(Arrays.copyOfRange(stream, at, at + length));
            at += length;
            taken++;
        }
        assertThat(frames).hasSize(taken);
    }
}
