package io.psf.runtime.spi.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.array.FloatArray;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.TupleWriter;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class FrameTest {
    private final FramePool pool = new FramePool(1 << 20);

    private Frame sample() {
        TupleWriter tuple = new TupleWriter();
        tuple.f32(0.5f);
        tuple.bool(true);
        tuple.array(FloatArray.of(1f, -2f, 3f));
        FunctionInfo info = new FunctionInfo("some", 0x11121314, Place.SHARD, false, List.of("schema"));
        return Frames.request(
                pool,
                new RequestHeader(
                        info,
                        new RequestHeader.Target(0x31323334, 5, (short) 0x5152),
                        0x0102030405060708L,
                        60000,
                        2,
                        -3),
                tuple);
    }

    /** The bytes of the protocol: they change only with a new protocol. */
    @Test
    void theBytesOfAFrameAreThese() {
        Frame frame = sample();
        byte[] bytes = new byte[frame.length()];
        frame.bytes().get(0, bytes);
        assertThat(HexFormat.of().formatHex(bytes))
                .isEqualTo("50000000" + "b1" + "fd" + "0100" // length 80, request, priority, version
                        + "14131211" + "36037d52" // function, fingerprint
                        + "34333231" + "05000000" // tensor, slice
                        + "0807060504030201" // call
                        + "60ea0000" + "0200" + "5251" // 60 s, attempt, layout
                        + "05000000" + "01000000" // block length, arrays
                        + "0000003f" + "01" + "000000" // 0.5, true, padding
                        + "03000000" + "03000000" // FLOAT, 3 elements
                        + "0000803f" + "000000c0" + "00004040" + "00000000"); // 1, -2, 3, padding
    }

    @Test
    void whatWasWrittenIsRead() {
        var reader = sample().reader(null);
        assertThat(reader.f32()).isEqualTo(0.5f);
        assertThat(reader.bool()).isTrue();
        assertThat(reader.floatArray().toArray()).containsExactly(1f, -2f, 3f);
        assertThatThrownBy(reader::i8).isInstanceOf(PsException.class).hasMessageContaining("expected: more");
        assertThatThrownBy(reader::floatArray).isInstanceOf(PsException.class).hasMessageContaining("expected: more");
    }

    @Test
    void aBodyWithAnyByteChangedIsReadOrRefusedButNeverLeft() {
        long seed = 20261121;
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            Frame frame = sample();
            int changes = 1 + random.nextInt(3);
            for (int i = 0; i < changes; i++) {
                frame.bytes().put(36 + random.nextInt(frame.length() - 36), (byte) random.nextInt());
            }
            try {
                var reader = frame.reader(null);
                var unusedFloat = reader.f32();
                var unusedBool = reader.bool();
                assertThat(reader.floatArray().length())
                        .as("seed %d round %d", seed, round)
                        .isLessThanOrEqualTo(8);
            } catch (PsException e) {
                assertThat(e.code()).as("seed %d round %d", seed, round).isEqualTo(PsException.Code.PROTOCOL);
            }
            frame.release();
        }
    }

    @Test
    void framesAreKeptForTheirNextUse() {
        Frame frame = sample();
        frame.release();
        assertThat(pool.keptBytes()).isEqualTo(256);
        assertThatThrownBy(frame::release).hasMessageContaining("frame: released");
        assertThat(pool.keptBytes()).as("after a second release").isEqualTo(256);
        sample();
        assertThat(pool.keptBytes()).isZero();
    }
}
