package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.ClusterCaller;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.runtime.PsCluster;
import io.psf.testkit.TestCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The classes from which a program starts, on the test kit: no sockets, no threads at once, and time that is not waited
 * for.
 */
@Timeout(120)
class FacadesTest {
    private static final int WORKERS = 3;
    private static final int SEEDS = Laws.cases(3);

    private static TestCluster cluster() {
        return TestCluster.of(2, WORKERS);
    }

    @Test
    void tensorsAreTrainedByWorkersInAnyOrder() {
        for (int seed = 0; seed < SEEDS; seed++) {
            List<Float> seen = cluster().together(seed, worker -> {
                TensorId w = Tensors.init(worker, TensorSpec.dense("w", 5).updates(Updates.MEAN));
                float[] update = new float[5];
                for (int step = 0; step < 4; step++) {
                    Arrays.fill(update, step + 3 * worker.rank());
                    Tensors.push(worker, w, update).await();
                }
                worker.barrier();
                return Tensors.pull(worker, w)[4];
            });
            assertThat(seen).as("seed %d", seed).containsOnly(6 + 4 * 3f);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void noWorkerIsMoreThanTheStalenessAhead(int staleness) {
        for (int seed = 0; seed < SEEDS; seed++) {
            long[] clocks = new long[WORKERS];
            cluster().together(seed, worker -> {
                Ssp ssp = Ssp.join(worker, 1, staleness);
                for (int i = 0; i < 12; i++) {
                    clocks[worker.rank()] = i + 1L;
                    long slowest = ssp.tick();
                    assertThat(slowest)
                            .isLessThanOrEqualTo(Arrays.stream(clocks).min().orElseThrow());
                    assertThat(ssp.clock() - slowest).isLessThanOrEqualTo(staleness);
                }
                return ssp.clock();
            });
            assertThat(clocks).containsOnly(12);
        }
    }

    /** Half an hour passes at once. */
    @Test
    void aWorkerThatIsTooFarAheadTimesOutAtTheLimit() {
        cluster().together(3, worker -> {
            Ssp ssp = Ssp.join(worker, 1, 1);
            ssp.tick();
            if (worker.rank() == 0) {
                ssp.tick();
                assertThatThrownBy(() -> ssp.tick(Duration.ofMinutes(30))).hasMessageContaining("TIMED_OUT");
                assertThat(ssp.clock()).isEqualTo(2);
            }
            return "";
        });
    }

    @Test
    void anAllReduceIsTheSameOnAllWorkers() {
        for (int seed = 0; seed < SEEDS; seed++) {
            List<String> reduced = cluster().together(seed, worker -> {
                AllReduce reduce = AllReduce.of(worker, "gradient", 3);
                float[] values = {worker.rank(), 10, -worker.rank()};
                reduce.sum(values).await();
                float[] most = {worker.rank(), 1, 2};
                reduce.max(most).await();
                worker.barrier();
                if (worker.rank() == 0) {
                    reduce.clear();
                }
                return Arrays.toString(values) + Arrays.toString(most);
            });
            assertThat(reduced).as("seed %d", seed).containsOnly("[3.0, 30.0, -3.0][2.0, 1.0, 2.0]");
        }
    }

    @Test
    void reducedWeightsAreThoseOfTheServers() {
        for (int seed = 0; seed < SEEDS; seed++) {
            List<String> weights = cluster().together(seed, worker -> {
                TensorSpec spec = TensorSpec.dense("w", 2, 2)
                        .initializer(Initializers.normal(0, 1, 1))
                        .optimizer(Optimizers.adam(0.1))
                        .updates(Updates.MEAN);
                float[] reduced = trained(Weights.reduced(worker, spec.named("r")), worker.rank());
                return Arrays.toString(reduced)
                        + Arrays.toString(trained(Weights.onServers(worker, spec.named("s")), worker.rank()));
            });
            assertThat(weights).containsOnly(weights.get(0));
        }
    }

    private static float[] trained(Weights weights, int rank) {
        for (int step = 0; step < 3; step++) {
            weights.push(new float[] {rank, step, 1, -rank}).await();
        }
        float[] values = new float[4];
        weights.pull(values).await();
        return values;
    }

    /** The third worker is not ready within the time, which passes at once. */
    @Test
    void aPartialReduceDoesNotWaitForStragglers() {
        List<String> partners = cluster().together(2, worker -> {
            PartialReduce ready = PartialReduce.of(worker, 1, WORKERS, Duration.ofMinutes(10));
            return worker.rank() == 1 ? "late" : Arrays.toString(ready.partners());
        });
        assertThat(partners).containsExactly("[0, 2]", "late", "[0, 2]");
    }

    @Test
    void cachesOfSeveralWorkersSeeEachOthersUpdates() {
        for (int seed = 0; seed < SEEDS; seed++) {
            List<Float> seen = cluster().together(seed, worker -> {
                TensorSpec table = TensorSpec.table("table", 20, 2);
                try (EmbeddingCache cache =
                        EmbeddingCache.of(worker, table).rows(5).pushBound(3).open()) {
                    for (int i = 0; i < 10; i++) {
                        cache.update(new long[] {7, i}, new float[] {1, 1, 0, 0});
                    }
                    cache.flush();
                    worker.barrier();
                    float[] into = new float[2];
                    cache.lookUp(new long[] {7}, into);
                    return into[0];
                }
            });
            assertThat(seen).as("seed %d", seed).containsOnly(10f * WORKERS);
        }
    }

    @Test
    void aModelIsSavedAndLoadedOnAnyNumberOfServers(@TempDir Path folder) {
        for (int seed = 0; seed < SEEDS; seed++) {
            Path directory = folder.resolve("" + seed);
            TestCluster first = TestCluster.of(2, WORKERS, directory);
            first.together(seed, worker -> {
                Model model = new Model(worker);
                for (int step = 1; step <= 5; step++) {
                    model.step(step);
                    model.checkpoints.save(step, Map.of("rank", "" + worker.rank()));
                }
                model.step(6); // lost
                return "";
            });
            TestCluster second = TestCluster.of(3, 2, directory);
            List<String> loaded = second.together(seed, worker -> {
                Model model = new Model(worker);
                Optional<ModelCheckpoint> latest = model.checkpoints.loadLatest();
                assertThat(latest.orElseThrow().step()).isEqualTo(5);
                return Arrays.toString(Tensors.pull(worker, model.dense)) + model.pullRow(1L << 40);
            });
            assertThat(loaded)
                    .containsOnly("[45.0, 45.0, 45.0][15.0]"); // (1 + .. + 5) of each of 3 workers, and of one
            assertThat(second.worker(0).members()).hasSize(5);
        }
    }

    /** Two tensors, of which one grows. The cache is flushed by a save. */
    private static final class Model {
        final ClusterCaller worker;
        final TensorId dense;
        final TensorId table;
        final ModelCheckpoints checkpoints;

        Model(ClusterCaller worker) {
            this.worker = worker;
            this.dense = Tensors.init(worker, TensorSpec.dense("dense", 3));
            this.table = Tensors.init(worker, TensorSpec.growing("table", 1));
            this.checkpoints =
                    ModelCheckpoints.at(worker, "ctr").keep(2).incremental(2).tensors(dense, table);
        }

        void step(int step) {
            Tensors.push(worker, dense, new float[] {step, step, step}).await();
            if (worker.rank() == 1) {
                Tensors.pushRows(worker, table, new long[] {1L << 40}, new float[] {step})
                        .await();
            }
        }

        String pullRow(long key) {
            float[] row = new float[1];
            Tensors.pullRows(worker, table, new long[] {key}, row).await();
            return Arrays.toString(row);
        }
    }

    @Test
    void aWorkerOfAClusterIsSuchACaller() {
        try (PsCluster cluster = PsCluster.embedded(2)) {
            ClusterCaller worker = cluster.worker();
            assertThat(worker.rank()).isZero();
            assertThat(worker.workers()).isEqualTo(1);
            assertThat(worker.members())
                    .extracting(Member::role)
                    .containsExactlyInAnyOrder(Role.SERVER, Role.SERVER, Role.WORKER);
            assertThat(worker.lost()).isEmpty();
            worker.barrier();
            float[] values = {1, 2};
            AllReduce.of(worker, "gradient", 2).sum(values).await();
            worker.awaitAll();
            assertThat(values).containsExactly(1, 2);
        }
    }

    @Test
    void whatNeedsARankIsRefusedInASentenceAndTheRestRuns() {
        TestCluster cluster = cluster();
        ClusterCaller outside = new Outside(cluster);
        TensorSpec spec = TensorSpec.dense("w", 2, 2).updates(Updates.MEAN);
        for (Runnable each : List.<Runnable>of(
                () -> AllReduce.of(outside, "r", 3),
                () -> Ssp.join(outside, 1, 1),
                () -> Ssp.join(outside, 1, 0, 2, 1),
                () -> PartialReduce.of(outside, 1, 2, Duration.ofSeconds(1)),
                () -> Weights.reduced(outside, spec),
                () -> ModelCheckpoints.at(outside, "m").save(1, Map.of()),
                () -> ModelCheckpoints.at(outside, "m").loadLatest())) {
            assertThatThrownBy(each::run)
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.BAD_REQUEST))
                    .hasMessage("BAD_REQUEST: " + Outside.REFUSED);
        }
        assertThat(Tensors.list(cluster)).as("nothing was sent").isEmpty();

        Weights weights = Weights.onServers(outside, TensorSpec.dense("w", 2, 2).updates(Updates.EACH));
        weights.push(new float[] {1, 2, 3, 4}).await();
        assertThat(Tensors.pull(outside, weights.tensor())).containsExactly(1, 2, 3, 4);
    }
}
