package io.psf.runtime.internal.transport.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.psf.api.PsException;
import io.psf.api.spi.TupleWriter;
import io.psf.fuzz.Bytes;
import io.psf.fuzz.Script;
import io.psf.fuzz.Seeds;
import io.psf.runtime.internal.transport.shm.SharedSegment;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.provider.MethodSource;

/** The frame that asks to go on over shared memory, changed on the way: none but the right one opens the segment. */
@EnabledIf("io.psf.fuzz.Natives#areThere")
@Tag("long")
final class LinkFuzzTest {
    private static final int BLOCK_LENGTH = 40;
    private static final int CAPACITY = 4 << 10;
    private static final FramePool POOL = new FramePool(1 << 20);

    static Stream<byte[]> seeds() {
        return Seeds.of(1);
    }

    private static byte[] question(SharedSegment segment) {
        TupleWriter question = new TupleWriter();
        question.string(segment.name());
        question.bytes(segment.token());
        Frame frame = Frames.link(POOL, PsException.Code.OK, question);
        byte[] bytes = new byte[frame.length()];
        frame.bytes().get(0, bytes);
        frame.release();
        return bytes;
    }

    /** Name and token are what counts; the rest of the header is not looked at, nor what comes behind them. */
    private static boolean asks(byte[] frame, byte[] question) {
        int end = Frame.HEADER + Bytes.little(question).getInt(BLOCK_LENGTH);
        return frame.length >= end && Arrays.equals(frame, Frame.HEADER, end, question, Frame.HEADER, end);
    }

    @MethodSource("seeds")
    @FuzzTest
    void onlyWhoKnowsNameAndTokenOpensIt(byte[] script) throws IOException {
        Script edits = new Script(script);
        SharedSegment segment = SharedSegment.create(CAPACITY);
        try (SocketChannel socket = SocketChannel.open()) {
            byte[] question = question(segment);
            edits.next();
            byte[] changed = edits.edited(question);
            if (Bytes.isWhole(changed)) {
                Frame asked = Bytes.arrived(POOL, changed);
                try {
                    assertThat(SharedLink.accept(asked, new SocketWire(socket))).isNotNull();
                    assertThat(asks(changed, question))
                            .as("asks for the segment")
                            .isTrue();
                } catch (IOException e) {
                    assertThat(e).hasMessageContaining("expected: ");
                } catch (PsException e) {
                    assertThat(e.code()).isEqualTo(PsException.Code.PROTOCOL);
                } finally {
                    asked.release();
                }
            }
        } finally {
            segment.unlink();
        }
    }
}
