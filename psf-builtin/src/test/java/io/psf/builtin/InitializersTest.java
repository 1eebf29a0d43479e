package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.TensorId;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The initializers for layers: the values of a whole tensor against the published limits and standard deviations. */
class InitializersTest {
    /** The inputs of a layer: so many more than the outputs that a formula with these swapped is seen. */
    private static final int IN = 1600;

    private static final int OUT = 100;

    static Stream<Arguments> uniforms() {
        return Stream.of(
                Arguments.of("xavier", Initializers.xavierUniform(IN, OUT, 1), Math.sqrt(6.0 / 1700)),
                Arguments.of("xavier, swapped", Initializers.xavierUniform(OUT, IN, 2), Math.sqrt(6.0 / 1700)),
                Arguments.of("he", Initializers.heUniform(IN, 3), Math.sqrt(6.0 / 1600)),
                Arguments.of("he, swapped", Initializers.heUniform(OUT, 4), Math.sqrt(6.0 / 100)),
                Arguments.of("lecun", Initializers.leCunUniform(IN, 5), Math.sqrt(3.0 / 1600)),
                Arguments.of("lecun, swapped", Initializers.leCunUniform(OUT, 6), Math.sqrt(3.0 / 100)));
    }

    static Stream<Arguments> normals() {
        return Stream.of(
                Arguments.of("xavier", Initializers.xavierNormal(IN, OUT, 1), Math.sqrt(2.0 / 1700)),
                Arguments.of("xavier, swapped", Initializers.xavierNormal(OUT, IN, 2), Math.sqrt(2.0 / 1700)),
                Arguments.of("he", Initializers.heNormal(IN, 3), Math.sqrt(2.0 / 1600)),
                Arguments.of("he, swapped", Initializers.heNormal(OUT, 4), Math.sqrt(2.0 / 100)),
                Arguments.of("lecun", Initializers.leCunNormal(IN, 5), Math.sqrt(1.0 / 1600)),
                Arguments.of("lecun, swapped", Initializers.leCunNormal(OUT, 6), Math.sqrt(1.0 / 100)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("uniforms")
    void aUniformInitializerForALayerFillsItsRange(String name, Initializer initializer, double limit) {
        float[] values = onServers(initializer);
        double most = 0;
        for (float value : values) {
            most = Math.max(most, Math.abs((double) value));
        }
        // The largest of n values is below (1 - 1e-3) of the limit with a probability of e^-160.
        assertThat(most).isBetween(0.999 * limit, limit);
        assertSpread(values, limit / Math.sqrt(3));
        assertThat(shareBeyond(values, limit / 2)).isCloseTo(0.5, within(5 * 0.5 / Math.sqrt(values.length)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("normals")
    void aNormalInitializerForALayerHasItsStandardDeviation(String name, Initializer initializer, double stddev) {
        float[] values = onServers(initializer);
        assertSpread(values, stddev);
        double[] shares = {0.317310508, 0.045500264, 0.002699796}; // of a normal distribution, beyond 1, 2 and 3
        for (int i = 0; i < shares.length; i++) {
            assertThat(shareBeyond(values, (i + 1) * stddev))
                    .as("beyond %s standard deviations", i + 1)
                    .isCloseTo(shares[i], within(5 * Math.sqrt(shares[i] / values.length)));
        }
    }

    /** Returns the values of a tensor, which are the same dense and in tables, on 1 and on 3 servers. */
    private static float[] onServers(Initializer initializer) {
        float[] first = new float[0];
        for (int servers : new int[] {1, 3}) {
            try (PsCluster cluster = PsCluster.embedded(servers)) {
                Worker worker = cluster.worker();
                for (TensorSpec spec : List.of(
                        TensorSpec.dense("dense", IN, OUT),
                        TensorSpec.table("table", IN, OUT).slices(5),
                        TensorSpec.growing("growing", OUT))) {
                    TensorId tensor = Tensors.init(worker, spec.initializer(initializer));
                    float[] values = new float[IN * OUT];
                    Tensors.pullRows(worker, tensor, LongStream.range(0, IN).toArray(), values)
                            .await();
                    first = first.length == 0 ? values : first;
                    assertThat(Arrays.equals(values, first))
                            .as("%s on %s servers has the values of the first", tensor.name(), servers)
                            .isTrue();
                }
            }
        }
        return first;
    }

    /** The bounds are five standard errors of a normal distribution: 1.25 % of the deviation, 1.8 % of the variance. */
    private static void assertSpread(float[] values, double stddev) {
        double sum = 0;
        double squares = 0;
        for (float value : values) {
            sum += value;
            squares += (double) value * value;
        }
        int n = values.length;
        assertThat(sum / n).as("mean").isCloseTo(0, within(5 * stddev / Math.sqrt(n)));
        assertThat(squares / n / stddev / stddev)
                .as("variance, relative to that of the formula")
                .isCloseTo(1, within(5 * Math.sqrt(2.0 / n)));
    }

    private static double shareBeyond(float[] values, double bound) {
        int beyond = 0;
        for (float value : values) {
            beyond += Math.abs((double) value) > bound ? 1 : 0;
        }
        return (double) beyond / values.length;
    }

    @Test
    void aLayerWithoutInputsOrOutputsIsRefused() {
        assertThatThrownBy(() -> Initializers.heUniform(0, 7))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("fanIn: 0 (expected: >= 1)");
        assertThatThrownBy(() -> Initializers.heNormal(-1, 7)).hasMessage("fanIn: -1 (expected: >= 1)");
        assertThatThrownBy(() -> Initializers.leCunUniform(0, 7)).hasMessage("fanIn: 0 (expected: >= 1)");
        assertThatThrownBy(() -> Initializers.leCunNormal(0, 7)).hasMessage("fanIn: 0 (expected: >= 1)");
        assertThatThrownBy(() -> Initializers.xavierUniform(0, 5, 7)).hasMessage("fanIn: 0 (expected: >= 1)");
        assertThatThrownBy(() -> Initializers.xavierNormal(5, 0, 7)).hasMessage("fanOut: 0 (expected: >= 1)");
    }
}
