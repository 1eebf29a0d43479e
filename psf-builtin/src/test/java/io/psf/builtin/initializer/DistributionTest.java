package io.psf.builtin.initializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class DistributionTest {
    private static final int N = 1_000_000;

    /** The standard deviation of a standard normal truncated at 2: sqrt(1 - 4 phi(2) / (2 Phi(2) - 1)). */
    private static final double TRUNCATED = 0.8796256610342397;

    @ParameterizedTest
    @EnumSource
    void aTensorHasTheSameValuesHoweverItIsSliced(Distribution distribution) {
        float[] whole = values(distribution.generator(-0.25, 0.75, 42), 0, 10_007);
        for (int slices : new int[] {2, 3, 7}) {
            float[] joined = new float[whole.length];
            for (int s = 0; s < slices; s++) {
                int begin = s * whole.length / slices;
                int end = (s + 1) * whole.length / slices;
                float[] part = values(distribution.generator(-0.25, 0.75, 42), begin, end - begin);
                System.arraycopy(part, 0, joined, begin, part.length);
            }
            assertThat(joined).as("%s slices", slices).isEqualTo(whole);
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void valuesHaveTheMeanTheSpreadAndTheRangeOfTheirDistribution(
            Distribution distribution, double a, double b, double mean, double stddev, double least, double most) {
        for (long seed : new long[] {0, 1, 7, -1}) {
            double sum = 0;
            double squares = 0;
            float lowest = Float.POSITIVE_INFINITY;
            float highest = Float.NEGATIVE_INFINITY;
            for (float value : values(distribution.generator(a, b, seed), 0, N)) {
                lowest = Math.min(lowest, value); // NaN if one is
                highest = Math.max(highest, value);
                sum += value;
                squares += (value - mean) * (value - mean);
            }
            assertThat((double) lowest).isGreaterThanOrEqualTo(least);
            assertThat((double) highest).isLessThanOrEqualTo(most);
            assertThat(sum / N).as("mean, seed %s", seed).isCloseTo(mean, within(5 * stddev / Math.sqrt(N)));
            assertThat(Math.sqrt(squares / N)).as("stddev, seed %s", seed).isCloseTo(stddev, within(0.005 * stddev));
        }
    }

    static Stream<Arguments> shapes() {
        double inf = Double.POSITIVE_INFINITY;
        return Stream.of(
                Arguments.of(Distribution.UNIFORM, -0.5, 0.4, -0.05, 0.9 / Math.sqrt(12), -0.5, Math.nextDown(0.4)),
                Arguments.of(Distribution.NORMAL, 5.6, 2.0, 5.6, 2.0, -inf, inf),
                Arguments.of(Distribution.TRUNCATED_NORMAL, -2.3, 1.4, -2.3, 1.4 * TRUNCATED, -5.1, 0.5));
    }

    @Test
    void aConstantIsEverywhere() {
        assertThat(values(Distribution.CONSTANT.generator(1234.567, 0, 0), 5, 600))
                .hasSize(600)
                .containsOnly(1234.567f);
    }

    @Test
    void differentSeedsGiveDifferentValues() {
        float[] one = values(Distribution.NORMAL.generator(0, 1, 1), 0, 1000);
        float[] two = values(Distribution.NORMAL.generator(0, 1, 2), 0, 1000);
        int same = 0;
        double product = 0;
        for (int i = 0; i < one.length; i++) {
            same += one[i] == two[i] ? 1 : 0;
            product += one[i] * two[i];
        }
        assertThat(same).isZero();
        assertThat(product / one.length).isCloseTo(0, within(5 / Math.sqrt(one.length)));
    }

    @Test
    void neighboursAreNotCorrelated() {
        float[] values = values(Distribution.UNIFORM.generator(-1, 1, 3), 0, N);
        for (int lag = 1; lag <= 3; lag++) {
            double product = 0;
            for (int i = lag; i < N; i++) {
                product += values[i] * values[i - lag];
            }
            assertThat(product / N).as("lag %s", lag).isCloseTo(0, within(5.0 / 3 / Math.sqrt(N)));
        }
    }

    /** Tensors that are created anew have the values of earlier versions, and those of other memories. */
    @ParameterizedTest
    @CsvSource({
        "CONSTANT, -1567684513, -0.25, -0.25",
        "UNIFORM, -271129407, 0.60863286, -0.16300493",
        "NORMAL, -1407939180, 0.555648, -1.2696204",
        "TRUNCATED_NORMAL, -535580689, 0.555648, -1.2696204"
    })
    void valuesNeverChange(Distribution distribution, int hash, float first, float second) {
        float[] values = values(distribution.generator(-0.25, 0.75, 42), (1L << 40) + 7, 100_003);
        assertThat(values).startsWith(first, second);
        assertThat(Arrays.hashCode(values)).isEqualTo(hash);
    }

    @Test
    void generatorsAreData() {
        float end = Math.nextDown(0.5f);
        assertThat(new Normal(1, 2, 42).key()).isEqualTo(Counter.key(42));
        assertThat(Distribution.CONSTANT.generator(0.1, 0, 42)).isEqualTo(new Constant(0.1f));
        assertThat(Distribution.UNIFORM.generator(-1, 0.5, 42)).isEqualTo(new Uniform(-1, 0.5, 42, -1, end));
        assertThat(Distribution.NORMAL.generator(1, 2, 42)).isEqualTo(new Normal(1, 2, 42));
        assertThat(Distribution.TRUNCATED_NORMAL.generator(1, 2, 42)).isEqualTo(new TruncatedNormal(1, 2, 42, -3, 5));
    }

    @Test
    void aGrowingRowBeginsWhereTheFixedOneDoesUnlessTheIndexIsTooLarge() {
        assertThat(Generator.firstElement(0, 3)).isZero();
        assertThat(Generator.firstElement(1L << 40, 3)).isEqualTo(3L << 40);
        long most = Long.MAX_VALUE / 3;
        assertThat(Generator.firstElement(most - 1, 3)).isEqualTo((most - 1) * 3);
        for (long key : new long[] {most, Long.MAX_VALUE, -1, Long.MIN_VALUE}) {
            assertThat(Generator.firstElement(key, 3)).isEqualTo(TensorLayout.hash(key) * 3);
        }
    }

    @Test
    void roundingToAFloatNeverLeavesTheRange() {
        float end = 1 + Math.ulp(1f);
        assertThat(values(Distribution.UNIFORM.generator(1, end, 1), 0, 1000)).containsOnly(1f);
        assertThat(Bounds.halfOpen(-0.5, 0.4).greatest()).isLessThan(0.4f);
        assertThat((double) Bounds.closed(0.1, 0.3).least()).isGreaterThanOrEqualTo(0.1);
    }

    @ParameterizedTest
    @CsvSource({
        "0.5, 0",
        "0.975, 1.959963984540054",
        "0.9, 1.2815515655446004",
        "0.001, -3.090232306167813",
        "1e-10, -6.361340902404056",
        "1e-15, -7.941345326170997"
    })
    void theQuantileIsTheOneOfTheTables(double p, double z) {
        assertThat(Gauss.quantile(p)).isCloseTo(z, within(1e-13 * Math.max(1, Math.abs(z))));
    }

    @Test
    void argumentsOutsideTheirRangeAreRefused() {
        assertThatThrownBy(() -> Distribution.NORMAL.generator(0, -1, 7))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("stddev: -1.0 (expected: > 0)");
        assertThatThrownBy(() -> Distribution.TRUNCATED_NORMAL.generator(0, 0, 7))
                .hasMessage("stddev: 0.0 (expected: > 0)");
        assertThatThrownBy(() -> Distribution.NORMAL.generator(Double.NaN, 1, 7))
                .hasMessage("mean: NaN (expected: a finite float32)");
        assertThatThrownBy(() -> Distribution.UNIFORM.generator(1, 1, 7))
                .hasMessage("range: [1.0, 1.0) (expected: a < b, a float32 between)");
        assertThatThrownBy(() -> Distribution.CONSTANT.generator(1e300, 0, 0))
                .hasMessage("value: Infinity (expected: a finite float32)");
    }

    private static float[] values(Generator generator, long first, int n) {
        FloatArray values = FloatArray.allocate(n);
        generator.fill(values, first);
        return values.toArray();
    }
}
