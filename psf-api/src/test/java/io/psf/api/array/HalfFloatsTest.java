package io.psf.api.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assertions.within;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HalfFloatsTest {
    private static FloatArray halves(int n, FloatType type) {
        return ArrayMemory.view(ByteBuffer.allocateDirect(n * 2).order(ByteOrder.LITTLE_ENDIAN), type);
    }

    private static FloatArray of(FloatType type, float... values) {
        FloatArray halves = halves(values.length, type);
        halves.copyFrom(0, values, 0, values.length);
        return halves;
    }

    /** The value of 16 bits by the definition of the format, in float64. */
    private static double value(int bits, int exponentBits) {
        int fractionBits = 15 - exponentBits;
        int bias = (1 << (exponentBits - 1)) - 1;
        int exponent = (bits & 0x7fff) >>> fractionBits;
        int fraction = bits & ((1 << fractionBits) - 1);
        double magnitude;
        if (exponent == (1 << exponentBits) - 1) {
            magnitude = fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
        } else if (exponent == 0) {
            magnitude = fraction * Math.pow(2, 1 - bias - fractionBits);
        } else {
            magnitude = (1 + fraction * Math.pow(2, -fractionBits)) * Math.pow(2, exponent - bias);
        }
        return bits >= 0x8000 ? -magnitude : magnitude;
    }

    /** Compares without the overhead of an assertion, for many values. */
    private static void requireSame(int bits, double actual, double expected) {
        if (Double.compare(actual, expected) != 0) {
            fail("pattern %04x: %s (expected: %s)", bits, actual, expected);
        }
    }

    private static int exponentBits(FloatType type) {
        return type == FloatType.FLOAT16 ? 5 : 8;
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16"})
    void everyPatternHasTheValueOfItsFormatAndIsWrittenBackAsItself(FloatType type) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(2 << 16).order(ByteOrder.LITTLE_ENDIAN);
        for (int bits = 0; bits < 1 << 16; bits++) {
            bytes.putShort(2 * bits, (short) bits);
        }
        float[] values = ArrayMemory.view(bytes, type).toArray();
        FloatArray back = of(type, values);
        for (int bits = 0; bits < 1 << 16; bits++) {
            double expected = value(bits, exponentBits(type));
            requireSame(bits, values[bits], expected);
            requireSame(bits, back.get(bits), expected);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16"})
    void aValueIsRoundedToTheNearestAndATieToTheEvenOne(FloatType type) {
        int exponentBits = exponentBits(type);
        int finite = ((1 << exponentBits) - 1) << (15 - exponentBits);
        for (int bits = 0; bits < finite - 1; bits++) {
            double low = value(bits, exponentBits);
            double high = value(bits + 1, exponentBits);
            float middle = (float) ((low + high) / 2);
            double even = bits % 2 == 0 ? low : high;
            float[] rounded = of(type, middle, -middle, Math.nextDown(middle), Math.nextUp(middle))
                    .toArray();
            requireSame(bits, rounded[0], even);
            requireSame(bits, rounded[1], -even);
            requireSame(bits, rounded[2], low);
            requireSame(bits, rounded[3], high);
        }
    }

    @Test
    void valuesBeyondTheLargestBecomeInfinite() {
        assertThat(of(FloatType.FLOAT16, 65504, 65519.99f, 65520, -1e9f, Float.NaN, Float.NEGATIVE_INFINITY)
                        .toArray())
                .containsExactly(
                        65504,
                        65504,
                        Float.POSITIVE_INFINITY,
                        Float.NEGATIVE_INFINITY,
                        Float.NaN,
                        Float.NEGATIVE_INFINITY);
        assertThat(of(FloatType.BFLOAT16, Float.MAX_VALUE, Float.NaN, -0f, Float.MIN_VALUE)
                        .toArray())
                .containsExactly(Float.POSITIVE_INFINITY, Float.NaN, -0f, 0);
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16"})
    void theErrorIsWithinTheDocumentedBound(FloatType type) {
        Random random = new Random(3);
        double bound = type == FloatType.FLOAT16 ? Math.pow(2, -11) : Math.pow(2, -8);
        for (int i = 0; i < 100_000; i++) {
            float value = (float) (random.nextGaussian() * Math.pow(2, random.nextInt(20) - 10));
            double least = type == FloatType.FLOAT16 ? Math.pow(2, -25) : 0;
            double error = Math.abs(of(type, value).get(0) - (double) value);
            if (error > Math.max(least, bound * Math.abs(value))) {
                fail("error of %s: %s", value, error);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16"})
    void stochasticRoundingIsExactOnAverageAndLeavesExactValuesAlone(FloatType type) {
        int n = 20_000;
        FloatArray random = ArrayMemory.viewStochastic(ByteBuffer.allocateDirect(2 * n), type, 1);
        for (float value : new float[] {1.001f, -0.3f, 3e-6f, 12345.678f}) {
            random.fill(value);
            FloatArray nearest = of(type, value);
            double ulp = 0;
            double sum = 0;
            for (int i = 0; i < n; i++) {
                sum += random.get(i);
                ulp = Math.max(ulp, Math.abs(random.get(i) - (double) nearest.get(0)));
            }
            assertThat(sum / n).isCloseTo(value, within(4 * ulp / Math.sqrt(n)));
            random.fill(nearest.get(0));
            assertThat(random.toArray()).containsOnly(nearest.get(0));
        }
        if (type == FloatType.FLOAT16) {
            random.fill(65519);
            assertThat(random.toArray()).containsOnly(65504);
        }
        random.nearest().fill(1.001f);
        assertThat(random.toArray()).containsOnly(of(type, 1.001f).get(0));
    }

    /** Each operation does the same as on an array of float32 whose values are representable. */
    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16"})
    void everyOperationIsThatOfFloat32(FloatType type) {
        Random random = new Random(5);
        for (int round = 0; round < 75 * Integer.getInteger("psf.laws.times", 1); round++) {
            int width = random.nextInt(4) == 0 ? 600 : 1 + random.nextInt(40);
            int rows = 1 + random.nextInt(30);
            float[] first = small(random, rows * width);
            float[] second = small(random, rows * width);
            for (int kinds = 0; kinds < 8; kinds++) {
                FloatArray a = array(kinds & 1, type, first);
                FloatArray b = array(kinds >> 1, type, second);
                FloatArray x = FloatArray.of(first);
                FloatArray y = FloatArray.of(second);
                int[] some = random.ints(rows, 0, rows).distinct().toArray();
                a.gather(b, some, 0, some.length, width);
                x.gather(y, some, 0, some.length, width);
                assertThat(a.toArray()).isEqualTo(x.toArray());
                a.scatter(b, some, 0, some.length, width);
                x.scatter(y, some, 0, some.length, width);
                assertThat(a).isEqualTo(x).hasSameHashCodeAs(x);
                a.copyRows(rows / 2, b, 0, rows - rows / 2, width);
                x.copyRows(rows / 2, y, 0, rows - rows / 2, width);
                assertThat(a.copy()).isEqualTo(x);
                a.slice(width, rows * width).copyFrom(b.slice(0, (rows - 1) * width));
                x.slice(width, rows * width).copyFrom(y.slice(0, (rows - 1) * width));
                assertThat(a.dot(b)).isEqualTo(x.dot(y));
                a.addScaled(0.5f, b);
                x.addScaled(0.5f, y);
                a.scale(2);
                x.scale(2);
                a.set(0, 7);
                x.set(0, 7);
                ByteBuffer bytes = ByteBuffer.allocate(4 * rows * width);
                ByteBuffer expected = ByteBuffer.allocate(4 * rows * width);
                a.writeRows(some, 0, some.length, width, bytes);
                x.writeRows(some, 0, some.length, width, expected);
                a.write(0, (rows - some.length) * width, bytes);
                x.write(0, (rows - some.length) * width, expected);
                assertThat(bytes.flip()).isEqualTo(expected.flip());
            }
        }
    }

    /** Values of which sums are representable too. */
    private static float[] small(Random random, int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = random.nextInt(33) - 16;
        }
        return values;
    }

    private static FloatArray array(int kind, FloatType type, float[] values) {
        FloatArray array = switch (kind) {
            case 0 -> FloatArray.allocate(values.length);
            case 1 -> halves(values.length, type);
            case 2 ->
                FloatArray.view(ByteBuffer.allocateDirect(4 * values.length).order(ByteOrder.LITTLE_ENDIAN));
            default -> halves(values.length, type == FloatType.FLOAT16 ? FloatType.BFLOAT16 : FloatType.FLOAT16);
        };
        array.copyFrom(0, values, 0, values.length);
        return array;
    }

    @Test
    void rowsOutsideAreRefused() {
        FloatArray halves = halves(8, FloatType.FLOAT16);
        FloatArray floats = FloatArray.allocate(8);
        for (FloatArray[] pair : new FloatArray[][] {{halves, floats}, {floats, halves}, {halves, halves}}) {
            for (int row : new int[] {-1, 4}) {
                assertThatThrownBy(() -> pair[0].gather(pair[1], new int[] {row}, 0, 1, 2))
                        .isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> pair[0].scatter(pair[1], new int[] {row}, 0, 1, 2))
                        .isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> pair[0].copyRows(row, pair[1], 0, 1, 2))
                        .isInstanceOf(IndexOutOfBoundsException.class);
            }
            assertThatThrownBy(() -> pair[0].copyFrom(1, pair[1])).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void aViewOfAnotherTypeOrOfHalfAValueIsRefused() {
        assertThatThrownBy(() -> ArrayMemory.view(ByteBuffer.allocate(4), FloatType.INT8))
                .hasMessage("type: INT8 (expected: FLOAT16 or BFLOAT16)");
        assertThatThrownBy(() -> ArrayMemory.view(ByteBuffer.allocate(3), FloatType.FLOAT16))
                .hasMessage("bytes: 3 (expected: a multiple of 2, the size of FLOAT16)");
        assertThatThrownBy(() -> new FloatTypes(FloatType.INT8, false, FloatType.FLOAT32))
                .hasMessage("storage: INT8 (expected: FLOAT32, FLOAT16 or BFLOAT16)");
        assertThatThrownBy(() -> new FloatTypes(FloatType.FLOAT32, true, FloatType.FLOAT32))
                .hasMessage("stochastic rounding: with storage FLOAT32 (expected: FLOAT16 or BFLOAT16)");
    }
}
