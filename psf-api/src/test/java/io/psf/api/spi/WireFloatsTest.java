package io.psf.api.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.FloatTypes;
import io.psf.api.array.LongArray;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WireFloatsTest {
    private final TupleWriter out = new TupleWriter();

    private ByteBuffer body() {
        ByteBuffer body = ByteBuffer.allocate((int) out.bodyLength()).order(ByteOrder.LITTLE_ENDIAN);
        out.writeBody(body);
        return body.flip();
    }

    private TupleReader reader(ByteBuffer body) {
        return new TupleReader(body, out.blockLength(), out.arrays(), 1, null);
    }

    private static FloatArray random(int n) {
        Random random = new Random(n);
        FloatArray values = FloatArray.allocate(n);
        for (int i = 0; i < n; i++) {
            values.set(i, (float) random.nextGaussian());
        }
        return values;
    }

    @ParameterizedTest
    @EnumSource(FloatType.class)
    void anArrayIsReadWithinTheErrorOfItsFormat(FloatType type) {
        for (int width : new int[] {0, 1, 7, 8, 64, 300, 70_000}) {
            for (int n : new int[] {0, 1, 5, 256, 257, 70_000}) {
                out.reset();
                FloatArray values = random(n);
                out.as(type).array(values);
                if (width > 0) {
                    out.reset();
                    out.ofTensor(new TensorInfo(TensorId.of("w"), 1, width));
                    out.as(type).array(values);
                }
                out.array(LongArray.of(7));
                TupleReader in = reader(body());
                FloatArray read = in.wireFloats();
                assertThat(in.longArray().get(0)).isEqualTo(7);
                assertThat(read.length()).isEqualTo(n);
                int block = width < 8 || width > 1 << 16 ? 256 : width;
                double most = 0;
                for (int i = 0; i < n; i++) {
                    most = i % block == 0 ? most(values, i, block) : most;
                    double bound = switch (type) {
                        case FLOAT32 -> 0;
                        case FLOAT16 -> Math.max(Math.pow(2, -25), Math.abs(values.get(i)) * Math.pow(2, -11));
                        case BFLOAT16 -> Math.abs(values.get(i)) * Math.pow(2, -8);
                        case INT8 -> most / 253.9;
                    };
                    if (Math.abs(read.get(i) - (double) values.get(i)) > bound) {
                        fail("%s, value %s of %s: %s (expected: %s)", type, i, n, read.get(i), values.get(i));
                    }
                }
            }
        }
    }

    private static double most(FloatArray values, int begin, int n) {
        double most = 0;
        for (int i = begin; i < Math.min(begin + n, values.length()); i++) {
            most = Math.max(most, Math.abs(values.get(i)));
        }
        return most;
    }

    @ParameterizedTest
    @EnumSource(FloatType.class)
    void aKeptTupleHasTheSameValues(FloatType type) {
        out.i32(1);
        out.as(type).array(random(300));
        out.array(random(10));
        ByteBuffer body = body();
        TupleReader in = reader(body);
        in.i32();
        TupleReader kept = in.keep();
        FloatArray read = kept.wireFloats();
        assertThat(read).isEqualTo(skipped(reader(body)).wireFloats());
        assertThat(kept.floatArray()).isEqualTo(random(10));
    }

    private static TupleReader skipped(TupleReader in) {
        in.i32();
        return in;
    }

    @Test
    void theFormatOfTheTensorIsUsedAndTheNextArrayIsPlainAgain() {
        TensorInfo tensor =
                new TensorInfo(TensorId.of("w"), 2, 4, new FloatTypes(FloatType.FLOAT32, false, FloatType.BFLOAT16));
        out.ofTensor(tensor);
        out.asTensor().array(FloatArray.of(1, 2, 3, 4));
        out.array(FloatArray.of(1, 2));
        assertThat(out.bodyLength()).isEqualTo(16 + 8 + 8);
        out.reset();
        out.asTensor().array(FloatArray.of(1, 2, 3, 4));
        assertThat(out.bodyLength()).isEqualTo(8 + 16);
    }

    @Test
    void int8TakesOneByteAValueAndAFactorForEachRow() {
        out.ofTensor(new TensorInfo(TensorId.of("w"), 100, 64));
        out.as(FloatType.INT8).array(random(6400));
        assertThat(out.bodyLength()).isEqualTo(8 + 100 * (64 + 4));
    }

    @Test
    void valuesThatAreNotFiniteOrAlmostZeroAreNoOtherValues() {
        out.ofTensor(new TensorInfo(TensorId.of("w"), 4, 8));
        FloatArray values = FloatArray.allocate(32);
        values.set(0, Float.NaN);
        values.set(8, Float.NEGATIVE_INFINITY);
        values.set(16, Float.MIN_VALUE);
        values.set(24, 127);
        out.as(FloatType.INT8).array(values);
        FloatArray read = reader(body()).wireFloats();
        for (int i = 0; i < 16; i++) {
            assertThat(read.get(i)).isNaN();
        }
        assertThat(read.get(16)).isEqualTo(Float.MIN_VALUE);
        assertThat(read.slice(17, 24)).isEqualTo(FloatArray.allocate(7));
        assertThat(read.get(24)).isEqualTo(127);
    }

    @Test
    void aFormatThatIsNotKnownOrNotExpectedIsMalformed() {
        out.as(FloatType.FLOAT16).array(random(4));
        ByteBuffer body = body();
        assertThatThrownBy(() -> reader(body).floatArray())
                .isInstanceOf(PsException.class)
                .hasMessageContaining("array 0: of wire format 5 (expected: FLOAT)");
        for (int type : new int[] {-1, 7, 8, 9, 5 | 64 << 8, Integer.MIN_VALUE | 7}) {
            ByteBuffer other = ByteBuffer.allocate(body.remaining()).order(ByteOrder.LITTLE_ENDIAN);
            other.put(body.duplicate()).flip();
            other.putInt(0, type);
            assertThatThrownBy(() -> reader(other)).isInstanceOf(PsException.class);
        }
    }

    @Test
    void repeatedRowsAreSummedBeforeTheyAreRounded() {
        // 1 + 2^-9 is a bfloat16 tie: rounded first, each summand would lose its fraction
        float summand = 1 + 0x1p-9f;
        KeySet keys = new KeySet(
                "keys",
                LongArray.of(3, 3, 3, 3),
                io.psf.api.layout.Reduction.SUM,
                false,
                io.psf.api.TensorLayout.even(new TensorInfo(TensorId.of("w"), 10, 1), new int[] {0}));
        FloatArray values = FloatArray.of(summand, summand, summand, summand);
        out.as(FloatType.FLOAT16);
        keys.writeRows(0, values, 1, out);
        assertThat(reader(body()).wireFloats().get(0)).isEqualTo(4 * summand);
    }

    /** Values that a device has converted are not rounded once more. */
    @Test
    void bytesWithFactorsAreWrittenAsTheyAre() {
        out.as(FloatType.INT8).rowsOf(8).array(random(8 * 50));
        ByteBuffer first = body();
        ByteBuffer direct = ByteBuffer.allocateDirect(first.capacity()).put(first.duplicate());
        FloatArray read = reader(direct.flip().order(ByteOrder.LITTLE_ENDIAN)).wireFloats();
        out.reset();
        out.as(FloatType.INT8).rowsOf(8).array(read);
        assertThat(body()).isEqualTo(first);
        out.reset();
        out.as(FloatType.INT8).rowsOf(8).range(read, 8 * 7, 8 * 20);
        FloatArray part = reader(body()).wireFloats();
        assertThat(part.toArray()).isEqualTo(read.slice(8 * 7, 8 * 20).toArray());
    }
}
