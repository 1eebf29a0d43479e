package io.psf.builtin.optimizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.Late;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.Weights;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Gradients of several tensors that are clipped by one norm. */
@Timeout(60)
class GlobalNormTest {
    private static final double LIMIT = 1.5;

    private static TensorSpec sum(String name, int rows) {
        return TensorSpec.dense(name, rows).updates(Updates.SUM).optimizer(Optimizers.sgd(1));
    }

    private static float[] ones(int n, float value) {
        float[] ones = new float[n];
        Arrays.fill(ones, value);
        return ones;
    }

    private static float[] gradient(Random random, int n) {
        float[] g = new float[n];
        for (int i = 0; i < n; i++) {
            g[i] = (float) random.nextGaussian();
        }
        return g;
    }

    private static void await(List<? extends Pending<?>> pushes) {
        pushes.forEach(Pending::await);
    }

    /**
     * Two workers train a dense tensor, one of a single slice, and a table by key; compared with a plain computation.
     */
    @ParameterizedTest
    @CsvSource({"1, SUM", "2, SUM", "2, MEAN"})
    void theNormIsThatOfTheRoundsOfAllTensors(int servers, Updates updates) {
        OptimizerSpec sgd = Optimizers.sgd(0.25);
        List<TensorSpec> specs = TensorSpec.clipGlobalNorm(
                LIMIT,
                List.of(
                        TensorSpec.dense("w", 20, 3).slices(5).updates(updates).optimizer(sgd),
                        TensorSpec.dense("b", 3).slices(1).updates(updates).optimizer(sgd),
                        TensorSpec.growing("t", 2).slices(3).updates(updates).optimizer(sgd)));
        double[] w = new double[60];
        double[] b = new double[3];
        double[] t = new double[10];
        Random random = new Random(5);
        try (PsCluster cluster = PsCluster.embedded(servers, 2)) {
            List<TensorId> model = Tensors.init(cluster.worker(), specs);
            for (int step = 0; step < 12; step++) {
                List<Pending<?>> pushes = new ArrayList<>();
                double[][] sums = {new double[60], new double[3], new double[10]};
                double scale = step % 3 == 0 ? 0.01 : 1; // every third round is below the limit
                for (int k = 0; k < 2; k++) {
                    Worker worker = cluster.worker(k);
                    float[] ofW = scaled(gradient(random, 60), scale);
                    float[] ofB = scaled(gradient(random, 3), scale);
                    long[] keys = step == 7 ? new long[0] : new long[] {step % 5, (step + 1 + k) % 5};
                    float[] ofT = scaled(gradient(random, 2 * keys.length), scale);
                    add(sums[0], ofW, 0);
                    add(sums[1], ofB, 0);
                    for (int i = 0; i < keys.length; i++) {
                        add(sums[2], Arrays.copyOfRange(ofT, 2 * i, 2 * i + 2), 2 * (int) keys[i]);
                    }
                    // in another order of the tensors at each worker
                    pushes.add(
                            k == 0 ? Tensors.push(worker, model.get(0), ofW) : Tensors.push(worker, model.get(1), ofB));
                    pushes.add(Tensors.pushRows(worker, model.get(2), keys, ofT));
                    pushes.add(
                            k == 0 ? Tensors.push(worker, model.get(1), ofB) : Tensors.push(worker, model.get(0), ofW));
                }
                await(pushes);
                double divisor = updates == Updates.MEAN ? 2 : 1;
                double squares = 0;
                for (double[] each : sums) {
                    for (double sum : each) {
                        squares += sum / divisor * sum / divisor;
                    }
                }
                double factor = 0.25 / divisor * Math.min(1, LIMIT / Math.sqrt(squares));
                subtract(w, sums[0], factor);
                subtract(b, sums[1], factor);
                subtract(t, sums[2], factor);
            }
            assertClose(Tensors.pull(cluster.worker(), model.get(0)), w);
            assertClose(Tensors.pull(cluster.worker(), model.get(1)), b);
            float[] rows = new float[10];
            Tensors.pullRows(cluster.worker(), model.get(2), new long[] {0, 1, 2, 3, 4}, rows)
                    .await();
            assertClose(rows, t);
        }
    }

    private static float[] scaled(float[] values, double scale) {
        for (int i = 0; i < values.length; i++) {
            values[i] *= (float) scale;
        }
        return values;
    }

    private static void add(double[] sums, float[] terms, int at) {
        for (int i = 0; i < terms.length; i++) {
            sums[at + i] += terms[i];
        }
    }

    private static void subtract(double[] values, double[] sums, double factor) {
        for (int i = 0; i < values.length; i++) {
            values[i] -= factor * sums[i];
        }
    }

    private static void assertClose(float[] values, double[] expected) {
        for (int i = 0; i < values.length; i++) {
            assertThat((double) values[i]).isCloseTo(expected[i], within(1e-4));
        }
    }

    @Test
    void aNormThatIsNotFiniteFailsThePushesOfAllTensorsAndChangesNone() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            List<TensorId> model =
                    Tensors.init(worker, TensorSpec.clipGlobalNorm(5, List.of(sum("a", 9), sum("b", 9))));
            float[] bad = ones(9, 1);
            bad[8] = Float.NaN;
            var one = Tensors.push(worker, model.get(0), ones(9, 1));
            var two = Tensors.push(worker, model.get(1), bad);
            for (Pending<?> push : List.of(one, two)) {
                assertThatThrownBy(push::await)
                        .hasMessageStartingWith("BAD_REQUEST: global norm of the gradients: NaN (expected: finite");
            }
            assertThat(Tensors.pull(worker, model.get(0))).containsOnly(0);
            assertThat(Tensors.pull(worker, model.get(1))).containsOnly(0);
            await(List.of(
                    Tensors.push(worker, model.get(0), ones(9, 2)), // with b's, a norm of 10
                    Tensors.push(worker, model.get(1), ones(9, (float) Math.sqrt(64 / 9.0)))));
            assertThat(Tensors.pull(worker, model.get(0))).containsOnly(-1);
        }
    }

    @Test
    void aPushThatIsLeftOutHasNoPartInTheNorm() {
        List<TensorSpec> specs = TensorSpec.clipGlobalNorm(
                3,
                List.of(
                        sum("a", 9).optimizer(Optimizers.sgd(1).skipNonFinite()),
                        sum("b", 9).optimizer(Optimizers.sgd(1).skipNonFinite())));
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            List<TensorId> model = Tensors.init(worker, specs);
            await(List.of(
                    Tensors.push(worker, model.get(0), ones(9, Float.POSITIVE_INFINITY)),
                    Tensors.push(worker, model.get(1), ones(9, 2))));
            assertThat(Tensors.pull(worker, model.get(0))).containsOnly(0);
            assertThat(Tensors.pull(worker, model.get(1))).containsOnly(-1);
            assertThat(Tensors.rounds(worker, model.get(0)).skipped()).containsEntry(0, 1L);
        }
    }

    @Test
    void aTensorThatIsNotPushedIsSaidAndTheNextStepIsWhole() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            List<TensorId> model =
                    Tensors.init(worker, TensorSpec.clipGlobalNorm(5, List.of(sum("a", 9), sum("b", 9))));
            assertThatThrownBy(() -> DensePushPsf.stub(worker)
                            .withDeadline(Duration.ofSeconds(1))
                            .call(model.get(0), FloatArray.wrap(ones(9, 100)))
                            .await())
                    .hasMessageContaining("TIMED_OUT: global norm of round 1: waits for the rounds of other tensors"
                            + " (expected: a push to each of the 2 tensors from \"a\" on, in each step,");
            await(List.of(
                    Tensors.push(worker, model.get(0), ones(9, 2)),
                    Tensors.push(worker, model.get(1), ones(9, (float) Math.sqrt(64 / 9.0)))));
            assertThat(Tensors.pull(worker, model.get(0))).containsOnly(-1);
        }
    }

    /** The rounds of a tensor that is loaded begin anew, and those of the others do not. */
    @Test
    void roundsOfOtherNumbersBelongTogether(@TempDir Path folder) {
        try (PsCluster cluster =
                PsCluster.builder().servers(2).checkpoints(folder).start()) {
            Worker worker = cluster.worker();
            List<TensorId> model =
                    Tensors.init(worker, TensorSpec.clipGlobalNorm(5, List.of(sum("a", 9), sum("b", 9))));
            Tensors.save(worker, model.get(1), "b");
            for (int step = 1; step <= 3; step++) {
                await(List.of(
                        Tensors.push(worker, model.get(0), ones(9, 2)),
                        Tensors.push(worker, model.get(1), ones(9, (float) Math.sqrt(64 / 9.0)))));
                assertThat(Tensors.pull(worker, model.get(0))).containsOnly(-step);
                if (step < 3) {
                    Tensors.load(worker, model.get(1), "b");
                }
            }
        }
    }

    /** The lost server has the first tensor, where the norm is added up, or another one. */
    @ParameterizedTest
    @CsvSource({"0, UNAVAILABLE", "1, TIMED_OUT: global norm of round 2: waits for the rounds of other tensors"})
    void aLostServerFailsThePushesToAllTensors(int lost, String message) {
        List<TensorSpec> specs = TensorSpec.clipGlobalNorm(
                5, List.of(sum("a", 1).slices(1), sum("b", 1).slices(1)));
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            List<TensorId> model = Tensors.init(worker, specs);
            int server = worker.layout(model.get(lost)).server(0);
            assertThat(worker.layout(model.get(1 - lost)).server(0)).isNotEqualTo(server);
            await(List.of(
                    Tensors.push(worker, model.get(0), ones(1, 3)), Tensors.push(worker, model.get(1), ones(1, 4))));
            cluster.servers().get(server).close();
            var there = DensePushPsf.stub(worker)
                    .withDeadline(Duration.ofSeconds(1))
                    .call(model.get(1 - lost), FloatArray.of(3));
            assertThatThrownBy(() ->
                            Tensors.push(worker, model.get(lost), ones(1, 3)).await())
                    .isInstanceOf(PsException.class);
            assertThatThrownBy(there::await).hasMessageContaining(message);
            assertThat(Tensors.pull(worker, model.get(1 - lost))).containsOnly(lost == 0 ? -4 : -3);
        }
    }

    @Test
    void whatHasNoGlobalNormIsRefusedInWords() {
        String expected = "(expected: SUM or MEAN, all workers, no clipNorm, each name once)";
        for (TensorSpec bad : List.of(
                sum("b", 9).updates(Updates.EACH),
                sum("b", 9).quorum(1, Late.DROP),
                sum("b", 9).optimizer(Optimizers.sgd(1).clipNorm(1)),
                sum("a", 9))) {
            assertThatThrownBy(() -> TensorSpec.clipGlobalNorm(5, List.of(sum("a", 9), bad)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("tensor \"" + bad.tensor().id() + "\" with a global norm: updates ")
                    .hasMessageEndingWith(expected);
        }
        for (double limit : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThatThrownBy(() -> TensorSpec.clipGlobalNorm(limit, List.of(sum("a", 9))))
                    .hasMessageStartingWith("clipNorm: " + (float) limit);
        }
        assertThatThrownBy(
                        () -> TensorSpec.clipGlobalNorm(5, List.of(sum("a", 9).optimizer(Optimizers.assign()))))
                .hasMessageStartingWith("options of psf.assign");
        assertThatThrownBy(() -> GlobalNorm.of("3 of 2 from a"))
                .hasMessageStartingWith("tensor of a global norm: 3 of 2 from a (expected: ");
        TensorSpec clipped = TensorSpec.clipGlobalNorm(5, List.of(sum("a", 9))).get(0);
        assertThat(clipped.optimizer()).hasToString("psf.sgd(lr=1.0, clipNorm=5.0, clipNorm.tensor=1 of 1 from a)");
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            assertThatThrownBy(() -> Weights.reduced(worker, clipped)).hasMessageContaining("nor a global norm)");
            TensorId each = Tensors.init(worker, clipped.updates(Updates.EACH));
            assertThatThrownBy(() -> SparsePushPsf.stub(worker)
                            .call(each, LongArray.of(3), FloatArray.of(1))
                            .await())
                    .hasMessageContaining("BAD_REQUEST: optimizer of tensor \"a\": ")
                    .hasMessageContaining("a norm over several tensors, with updates EACH (expected: SUM or MEAN)");
        }
    }

    /** Specs of two calls with one first tensor. */
    @Test
    void tensorsOfTwoNormsFromOneFirstTensorAreRefused() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            Worker worker = cluster.worker();
            List<TensorSpec> two = TensorSpec.clipGlobalNorm(5, List.of(sum("a", 9), sum("b", 9)));
            List<TensorSpec> other = TensorSpec.clipGlobalNorm(5, List.of(sum("a", 9), sum("c", 9)));
            List<TensorId> model = Tensors.init(worker, List.of(two.get(0), two.get(1), other.get(1)));
            CompletableFuture<?> b =
                    Tensors.push(worker, model.get(1), ones(9, 1)).toCompletableFuture();
            CompletableFuture<?> c =
                    Tensors.push(worker, model.get(2), ones(9, 1)).toCompletableFuture();
            assertThatThrownBy(() -> CompletableFuture.anyOf(b, c).join())
                    .hasMessageContaining("all specs from one call of TensorSpec.clipGlobalNorm");
            Tensors.push(worker, model.get(0), ones(9, 1)).await();
            (b.isCompletedExceptionally() ? c : b).join();
        }
    }
}
