package io.psf.builtin.optimizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The factors of each schedule, of step 1 and the following ones, against numbers that were computed by hand. */
class ScheduleTest {
    private static final long LATE = 1_000_000_000_000L;

    /** A schedule, its factors from step 1 on, and the factor of a step long after its end. */
    static Stream<Arguments> schedules() {
        return Stream.of(
                Arguments.of(Schedule.constant(), factors(1, 1, 1), 1),
                Arguments.of(Schedule.constant().warmUp(4), factors(0.25, 0.5, 0.75, 1, 1, 1), 1),
                Arguments.of(Schedule.step(3, 0.5), factors(1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.125), 0),
                Arguments.of(Schedule.step(1, 3), factors(1, 3, 9, 27), Double.POSITIVE_INFINITY),
                Arguments.of(Schedule.step(2, 0), factors(1, 1, 0, 0, 0), 0),
                Arguments.of(Schedule.step(2, 0.1).warmUp(2), factors(0.5, 1, 1, 1, 0.1, 0.1, 0.01), 0),
                Arguments.of(Schedule.linear(4, 0.2), factors(1, 0.8, 0.6, 0.4, 0.2, 0.2, 0.2), 0.2),
                Arguments.of(Schedule.linear(2, 0), factors(1, 0.5, 0, 0), 0),
                Arguments.of(Schedule.linear(2, 5), factors(1, 3, 5, 5), 5),
                Arguments.of(Schedule.linear(4, 0.2).warmUp(2), factors(0.5, 1, 1, 0.8, 0.6, 0.4, 0.2, 0.2), 0.2),
                // cos(0) = 1, cos(45) = 0.7071.., cos(90) = 0, cos(135) = -0.7071.., cos(180) = -1, in degrees
                Arguments.of(
                        Schedule.cosine(4, 0.2),
                        factors(1, 0.882842712474619, 0.6, 0.317157287525381, 0.2, 0.2, 0.2),
                        0.2),
                Arguments.of(Schedule.cosine(3, 0), factors(1, 0.75, 0.25, 0, 0), 0), // cos(60) = 0.5
                Arguments.of(
                        Schedule.cosine(4, 0.2).warmUp(5),
                        factors(0.2, 0.4, 0.6, 0.8, 1, 1, 0.882842712474619, 0.6, 0.317157287525381, 0.2, 0.2),
                        0.2),
                Arguments.of(Schedule.cosine(1000, 0.01).warmUp(1), factors(1, 1), 0.01));
    }

    private static List<Double> factors(double... factors) {
        return DoubleStream.of(factors).boxed().toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("schedules")
    void theFactorsAreThoseComputedByHand(Schedule schedule, List<Double> factors, double late) {
        for (int i = 0; i < factors.size(); i++) {
            assertThat(schedule.factor(i + 1)).as("step %s", i + 1).isCloseTo(factors.get(i), within(1e-14));
        }
        assertThat(schedule.factor(LATE)).as("step %s", LATE).isEqualTo(late, within(1e-14));
    }

    @Test
    void aLongCurveHasItsFactorsAtTheMiddleAndTheEnd() {
        Schedule cosine = Schedule.cosine(100_000, 0.01).warmUp(1_000);
        assertThat(cosine.factor(1)).isEqualTo(0.001);
        assertThat(cosine.factor(500)).isEqualTo(0.5);
        assertThat(cosine.factor(1_000)).isEqualTo(1);
        assertThat(cosine.factor(1_001)).isEqualTo(1);
        assertThat(cosine.factor(51_001)).isCloseTo(0.505, within(1e-14));
        assertThat(cosine.factor(51_002)).isLessThan(0.505 - 1.5e-5); // the slope there is -0.99 pi / 200,000
        assertThat(cosine.factor(101_001)).isEqualTo(0.01);
        assertThat(cosine.factor(101_000)).isBetween(0.01, 0.01 + 1e-9);
    }

    /** The schedule reaches a server as texts. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("schedules")
    void aTensorStepsWithTheFactors(Schedule schedule, List<Double> factors, double late) {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(
                    worker,
                    TensorSpec.dense("w", 6)
                            .slices(3)
                            .optimizer(Optimizers.sgd(0.5).schedule(schedule)));
            float before = 0;
            for (int step = 0; step < factors.size(); step++) {
                Tensors.push(worker, w, new float[] {1, 1, 1, 1, 1, 1}).await();
                float[] values = Tensors.pull(worker, w);
                assertThat(values).containsOnly(values[0]);
                assertThat((double) before - values[0])
                        .as("step %s", step + 1)
                        .isCloseTo(0.5 * factors.get(step), within(1e-5 * Math.max(0.1, Math.abs(before))));
                before = values[0];
            }
        }
    }

    @Test
    void aRoundOfASynchronousTensorIsOneStep() {
        try (PsCluster cluster = PsCluster.embedded(3, 2)) {
            TensorSpec spec = TensorSpec.dense("w", 6)
                    .slices(4)
                    .updates(Updates.SUM)
                    .optimizer(Optimizers.sgd(1).schedule(Schedule.linear(4, 0)));
            TensorId w = spec.tensor().id();
            cluster.workers().forEach(worker -> Tensors.init(worker, spec));
            for (float expected : new float[] {-1, -1.75f, -2.25f, -2.5f, -2.5f}) {
                List<Pending<?>> round = cluster.workers().stream()
                        .<Pending<?>>map(worker -> Tensors.push(worker, w, new float[] {.5f, .5f, .5f, .5f, .5f, .5f}))
                        .toList();
                round.forEach(Pending::await);
                assertThat(Tensors.pull(cluster.worker(0), w)).containsOnly(expected);
            }
        }
    }

    @Test
    void argumentsOutsideTheirRangeAreRefused() {
        assertThatThrownBy(() -> Schedule.cosine(0, 0.1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("steps: 0 (expected: >= 1)");
        assertThatThrownBy(() -> Schedule.linear(5, -0.1)).hasMessage("factor: -0.1 (expected: >= 0)");
        assertThatThrownBy(() -> Schedule.step(5, Double.NaN)).hasMessage("factor: NaN (expected: >= 0)");
        assertThatThrownBy(() -> Schedule.constant().warmUp(-1)).hasMessage("warmUp: -1 (expected: >= 0 steps)");
    }
}
