package io.psf.runtime.transport.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.FramePool;
import io.psf.runtime.transport.Frames;
import org.junit.jupiter.api.Test;

final class FrameReaderTest {
    private final FramePool pool = new FramePool(1 << 20);
    private final FrameReader reader = new FrameReader(pool);

    private void comes(int bytes) {
        Frame frame = Frames.ping(pool);
        reader.target().put(frame.bytes().limit(bytes));
        frame.release();
    }

    @Test
    void aFrameThatIsThereIsNoHalfOne() {
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
    void theInboxIsTakenWhenSomethingComesAndGivenBackAtTheEnd() {
        assertThat(reader.next()).isNull();
        assertThat(reader.partial()).isZero();
        assertThat(pool.keptBytes()).isZero();
        comes(Frame.HEADER);
        long before = pool.keptBytes();
        reader.release();
        assertThat(pool.keptBytes() - before).as("bytes of a stranger's inbox").isBetween(4L << 10, 8L << 10);
    }

    @Test
    void theInboxOfATrustedPeerIsLarger() {
        comes(Frame.HEADER);
        reader.trust();
        assertThat(reader.next()).isNotNull();
        assertThat(reader.next()).isNull();
        assertThat(reader.target().remaining()).isGreaterThanOrEqualTo(64 << 10);
    }
}
