package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.ClusterCaller;
import io.psf.api.TensorId;
import io.psf.builtin.internal.training.BeginEpochPsf;
import io.psf.builtin.internal.training.LeaveEpochPsf;
import io.psf.testkit.TestCluster;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Epochs in which three workers have unequal numbers of batches, in orders that are drawn from a seed. */
@Timeout(60)
class EpochsTest {
    private static final int WORKERS = 3;
    private static final int EPOCHS = 3;
    private static final int ROWS = 11;
    private static final int MOST = 4;

    /** Returns the number of batches of a worker: 0 to 4. */
    private static int share(int worker, int epoch) {
        return worker == epoch % WORKERS ? MOST : (worker + 2 * epoch) % MOST;
    }

    private static float[] gradient(int worker, int epoch, int batch) {
        float[] values = new float[ROWS];
        for (int i = 0; i < ROWS; i++) {
            values[i] = (float) Math.sin(worker + 3 * epoch + 31 * batch + i);
        }
        return values;
    }

    /** Returns the sum over the workers that have a batch, in the order of ranks, or the mean. */
    private static float[] total(int epoch, int batch, boolean mean) {
        float[] total = new float[ROWS];
        int count = 0;
        for (int worker = 0; worker < WORKERS; worker++) {
            if (batch < share(worker, epoch)) {
                float[] term = gradient(worker, epoch, batch);
                for (int i = 0; i < ROWS; i++) {
                    total[i] = count == 0 ? term[i] : total[i] + term[i];
                }
                count++;
            }
        }
        for (int i = 0; i < ROWS && mean; i++) {
            total[i] /= count;
        }
        return total;
    }

    private static TensorSpec spec(String name) {
        return TensorSpec.dense(name, ROWS).slices(4).optimizer(Optimizers.momentum(0.1, 0.9));
    }

    /** Returns the values of a tensor at the ends of the epochs: one step for each batch. */
    private static List<String> expected(boolean mean) {
        TestCluster cluster = TestCluster.of(1, 1);
        TensorId w = Tensors.init(cluster, spec("w"));
        List<String> values = new ArrayList<>();
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            for (int batch = 0; batch < MOST; batch++) {
                Tensors.push(cluster, w, total(epoch, batch, mean)).await();
            }
            values.add(Arrays.toString(Tensors.pull(cluster, w)));
        }
        return values;
    }

    private record Seen(List<String> sums, List<String> means, List<String> weights) {}

    private static Seen train(ClusterCaller worker) {
        TensorId sum = Tensors.init(worker, spec("sum").updates(Updates.SUM));
        TensorId mean = Tensors.init(worker, spec("mean").updates(Updates.MEAN));
        Weights weights = Weights.reduced(worker, spec("weights").updates(Updates.MEAN));
        AllReduce reduce = AllReduce.of(worker, "reduce", ROWS);
        Ssp ssp = Ssp.join(worker, 1, 0);
        Seen seen = new Seen(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            for (int batch = 0; batch < share(worker.rank(), epoch); batch++) {
                float[] gradient = gradient(worker.rank(), epoch, batch);
                Tensors.push(worker, sum, gradient).await();
                Tensors.push(worker, mean, gradient).await();
                weights.push(gradient).await();
                float[] reduced = gradient.clone();
                reduce.sum(reduced).await();
                assertThat(reduced).isEqualTo(total(epoch, batch, false));
                ssp.tick();
            }
            assertThat(Tensors.endEpoch(worker)).isEqualTo(epoch + 1);
            weights.endEpoch();
            seen.sums().add(Arrays.toString(Tensors.pull(worker, sum)));
            seen.means().add(Arrays.toString(Tensors.pull(worker, mean)));
            float[] into = new float[ROWS];
            weights.pull(into).await();
            seen.weights().add(Arrays.toString(into));
        }
        return seen;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void anEndOfAnEpochIsOneEventForAllSlicesAndAllWorkers(int servers) {
        Seen expected = new Seen(expected(false), expected(true), expected(true));
        for (int seed = 0; seed < Laws.cases(5); seed++) {
            assertThat(TestCluster.of(servers, WORKERS).together(seed, EpochsTest::train))
                    .as("seed %d", seed)
                    .containsOnly(expected);
        }
    }

    @Test
    void onlyServersTellServersOfTheEndOfAnEpoch() {
        ClusterCaller worker = TestCluster.of(1, 2).worker(0);
        assertThatThrownBy(() -> LeaveEpochPsf.stub(worker).call(1).await())
                .hasMessageContaining("BAD_REQUEST: end of an epoch for a worker: called by a worker");
        assertThatThrownBy(() ->
                        BeginEpochPsf.stub(worker).call(9, new int[] {0, 1}).await())
                .hasMessageContaining("BAD_REQUEST: begin of an epoch: called by a worker");
    }
}
