package io.psf.runtime.internal.transport.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.runtime.spi.transport.Checksum;
import io.psf.runtime.spi.transport.DamagedFrameException;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FrameReaderTest {
    private final FramePool pool = new FramePool(1 << 20);
    private final FrameReader reader = new FrameReader(pool);

    private void comes(int bytes) {
        Frame frame = Frames.ping(pool);
        reader.target().put(frame.bytes().limit(bytes));
        frame.release();
    }

    @Test
    void aFrameThatIsThereIsNoHalfOne() throws Exception {
        comes(Frame.HEADER);
        comes(Frame.HEADER);
        assertThat(reader.partial()).isZero();
        assertThat(reader.next()).isNotNull();
        assertThat(reader.partial()).as("one has not been taken out").isZero();
        comes(20);
        assertThat(reader.next()).isNotNull();
        assertThat(reader.partial()).isEqualTo(20);
        assertThat(reader.expected()).isEqualTo(Frame.HEADER);
    }

    @Test
    void theInboxIsTakenWhenSomethingComesAndGivenBackAtTheEnd() throws Exception {
        assertThat(reader.next()).isNull();
        assertThat(reader.partial()).isZero();
        assertThat(pool.keptBytes()).isZero();
        comes(Frame.HEADER);
        long before = pool.keptBytes();
        reader.release();
        assertThat(pool.keptBytes() - before).as("bytes of a stranger's inbox").isBetween(4L << 10, 8L << 10);
    }

    @Test
    void theInboxOfATrustedPeerIsLarger() throws Exception {
        comes(Frame.HEADER);
        reader.trust();
        assertThat(reader.next()).isNotNull();
        assertThat(reader.next()).isNull();
        assertThat(reader.target().remaining()).isGreaterThanOrEqualTo(64 << 10);
    }

    /** Returns a checked frame of that many longs, as a peer writes it. */
    private ByteBuffer checked(int longs) {
        Frame frame = Frames.done(pool, 5, new long[longs]);
        int length = frame.length();
        ByteBuffer bytes = ByteBuffer.allocate(Checksum.PREFIX + length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(Checksum.PREFIX, frame.bytes(), 0, length);
        new Checksum().write(bytes, 0, bytes, Checksum.PREFIX, length);
        return bytes;
    }

    /** Reads a frame as it arrives: as many bytes at once as the reader takes. */
    private static @Nullable Frame read(FrameReader reader, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            ByteBuffer target = reader.target();
            int n = Math.min(target.remaining(), bytes.remaining());
            target.put(bytes.slice(bytes.position(), n));
            bytes.position(bytes.position() + n);
            Frame frame = reader.next();
            if (frame != null) {
                assertThat(bytes.remaining()).as("bytes behind the frame").isZero();
                return frame;
            }
        }
        return null;
    }

    private FrameReader checking() {
        FrameReader checking = new FrameReader(pool);
        checking.trust();
        checking.check();
        return checking;
    }

    @Test
    void checkedFramesOfAnySizeAreReadOneAfterAnother() throws Exception {
        FrameReader checking = checking();
        for (int longs : new int[] {0, 1, 100, 5_000, 3, 100_000, 2, 2_050, 1_000_000, 0}) {
            Frame frame = Objects.requireNonNull(read(checking, checked(longs)));
            assertThat(frame.reader(null).longs()).hasSize(longs);
            frame.release();
            assertThat(checking.partial()).isZero();
        }
        checking.release();
    }

    /** Of a frame that fits in the inbox, and of one that has its own memory: no length that is damaged is awaited. */
    @ParameterizedTest
    @ValueSource(ints = {3, 4_000})
    void everyFlippedBitIsFound(int longs) {
        int bits = 8 * checked(longs).capacity();
        int step = longs < 10 ? 1 : 13;
        for (int bit = 0; bit < bits; bit += bit < 8 * (Checksum.PREFIX + Frame.HEADER) ? 1 : step) {
            ByteBuffer damaged = checked(longs);
            damaged.put(bit / 8, (byte) (damaged.get(bit / 8) ^ 1 << bit % 8));
            FrameReader checking = checking();
            assertThatThrownBy(() -> read(checking, damaged))
                    .as("bit %s", bit)
                    .isInstanceOf(DamagedFrameException.class)
                    .hasMessageMatching("frame damaged on the way: checksum of its (header|body of \\d+ bytes):"
                            + " 0x[0-9a-f]+ \\(expected: 0x[0-9a-f]+\\)");
            checking.release();
        }
    }
}
