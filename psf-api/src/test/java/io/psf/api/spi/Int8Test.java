package io.psf.api.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Int8Test {
    private static float[] sent(int width, float... values) {
        int entry = WireFloats.entry(FloatType.INT8, width);
        ByteBuffer bytes = ByteBuffer.allocate((int) WireFloats.bytes(entry, values.length))
                .order(ByteOrder.LITTLE_ENDIAN);
        WireFloats.write(FloatArray.wrap(values), entry, bytes);
        return WireFloats.read(bytes.flip(), entry, values.length).toArray();
    }

    /** At any magnitude, also where the factor is subnormal or its inverse overflows. */
    @ParameterizedTest
    @ValueSource(floats = {1e38f, 1, 1e-30f, 3.8e-37f, 3.7e-37f, 1e-37f, 1e-38f, 1e-40f, 1e-42f, 190e-45f, 1.4e-45f})
    void theErrorOfInt8IsAFractionOfTheLargestOfItsRow(float largest) {
        Random random = new Random(1);
        float[] values = new float[64];
        for (int i = 0; i < values.length; i++) {
            values[i] = largest * (2 * random.nextFloat() - 1);
        }
        values[7] = largest;
        values[9] = -largest;
        float[] received = sent(64, values);
        double most = largest / 254.0 * 1.001 + 1.5e-45;
        for (int i = 0; i < values.length; i++) {
            assertThat((double) received[i]).as("value %s", i).isCloseTo(values[i], within(most));
        }
    }

    @Test
    void zerosRemainZeros() {
        assertThat(sent(8, new float[16])).containsOnly(0f);
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY})
    void aValueThatIsNotFiniteMakesItsRowNaNAndNoOther(float value) {
        float[] values = new float[24];
        Arrays.fill(values, 127);
        values[9] = value;
        float[] received = sent(8, values);
        for (int i = 0; i < values.length; i++) {
            assertThat(received[i]).as("value %s", i).isEqualTo(Float.valueOf(i / 8 == 1 ? Float.NaN : 127));
        }
    }

    @Test
    void narrowRowsBecomeNaNInBlocksOf256Values() {
        float[] values = new float[600];
        values[300] = Float.NaN;
        float[] received = sent(4, values);
        for (int i = 0; i < values.length; i++) {
            assertThat(received[i]).as("value %s", i).isEqualTo(Float.valueOf(i / 256 == 1 ? Float.NaN : 0));
        }
    }
}
