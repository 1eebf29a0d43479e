package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.dense.DensePush;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.runtime.Chain;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Synchronous pushes come to the same bits whichever worker comes first. */
@Timeout(60)
final class OrderOfRanksTest {
    private static final int WORKERS = 3;
    private static final int ROUNDS = 12;
    private static final int ROWS = 300;
    private static final int WIDTH = 4;

    private static final long[] KEYS = LongStream.range(0, ROWS).toArray();

    /** Of very different sizes, so that three of them come to other bits in almost any other order. */
    private static float[] gradient(int round, int worker) {
        Random random = new Random(31L * round + worker);
        float[] gradient = new float[ROWS * WIDTH];
        for (int i = 0; i < gradient.length; i++) {
            gradient[i] = (float) (random.nextGaussian() * Math.pow(10, random.nextInt(7)));
        }
        return gradient;
    }

    /** The sum of all rounds, added up in the order of ranks. */
    private static float[] expected(boolean mean) {
        float[] values = new float[ROWS * WIDTH];
        for (int round = 0; round < ROUNDS; round++) {
            float[] sum = gradient(round, 0);
            for (int worker = 1; worker < WORKERS; worker++) {
                float[] more = gradient(round, worker);
                for (int i = 0; i < sum.length; i++) {
                    sum[i] += more[i];
                }
            }
            for (int i = 0; i < sum.length; i++) {
                values[i] += mean ? sum[i] / WORKERS : sum[i];
            }
        }
        return values;
    }

    private static void push(Worker worker, TensorId w, int round, float[] into) {
        float[] gradient = gradient(round, worker.rank());
        switch (round % 4) {
            case 0 -> Tensors.push(worker, w, gradient).await();
            case 1 -> Tensors.pushPull(worker, w, gradient, into).await();
            case 2 -> {
                Chain chain = worker.chain();
                Pending<DensePush.Response> pushed = DensePushPsf.stub(chain).call(w, FloatArray.wrap(gradient));
                var unused = DensePullPsf.stub(chain).call(w);
                chain.send();
                pushed.await();
            }
            default -> Tensors.pushRowsPull(worker, w, KEYS, gradient, into).await();
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void aRunIsTheSameBitForBitWhoeverComesFirst(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, WORKERS)) {
            CountDownLatch[] begun = new CountDownLatch[ROUNDS * WORKERS];
            Arrays.setAll(begun, i -> new CountDownLatch(1));
            Clusters.onEachWorker(cluster, worker -> {
                TensorId sum = Tensors.init(
                        worker, TensorSpec.dense("sum", ROWS, WIDTH).updates(Updates.SUM));
                TensorId mean =
                        Tensors.init(worker, TensorSpec.growing("mean", WIDTH).updates(Updates.MEAN));
                float[] into = new float[ROWS * WIDTH];
                Random random = new Random(worker.rank());
                for (int round = 0; round < ROUNDS; round++) {
                    int turn = (worker.rank() + round) % WORKERS; // worker 0 is the first, the last, the second ..
                    if (turn > 0) {
                        assertThat(begun[round * WORKERS + turn - 1].await(20, TimeUnit.SECONDS))
                                .isTrue();
                        Thread.onSpinWait();
                    }
                    float[] gradient = gradient(round, worker.rank());
                    Pending<?> rows = random.nextBoolean()
                            ? Tensors.pushRows(worker, mean, KEYS, gradient)
                            : Tensors.pushPullRows(worker, mean, KEYS, gradient, KEYS, into);
                    begun[round * WORKERS + turn].countDown();
                    push(worker, sum, round, into.clone());
                    rows.await();
                }
                worker.barrier();
                assertThat(Arrays.equals(Tensors.pull(worker, sum), expected(false)))
                        .as("sum")
                        .isTrue();
                Tensors.pullRows(worker, mean, KEYS, into).await();
                assertThat(Arrays.equals(into, expected(true))).as("mean").isTrue();
            });
        }
    }

    /** A held push lies in its request: that memory is not used again while the round is open. */
    @ParameterizedTest
    @EnumSource(Over.class)
    void aHeldPushCountsAsItWasSentAndOneWhoseCallerGaveUpDoesNot(Over over) {
        try (PsCluster cluster = Clusters.start(over, 1, 2)) {
            Worker zero = cluster.worker(0);
            Worker one = cluster.worker(1);
            TensorId w = Tensors.init(zero, TensorSpec.dense("w", ROWS, WIDTH).updates(Updates.SUM));
            TensorId other = Tensors.init(zero, TensorSpec.dense("other", ROWS, WIDTH));
            float[] first = gradient(0, 0);
            assertThatThrownBy(() -> DensePushPsf.stub(zero)
                            .withDeadline(Duration.ofMillis(500)) // enough for it to be run
                            .call(w, FloatArray.wrap(gradient(3, 0)))
                            .await())
                    .isInstanceOf(PsException.class)
                    .hasMessageStartingWith("TIMED_OUT")
                    .hasMessageContaining("the push was not applied");
            var held = Tensors.push(zero, w, first);
            for (int i = 0; i < 50; i++) {
                Tensors.push(one, other, gradient(i, 5)).await();
            }
            Tensors.push(one, w, new float[ROWS * WIDTH]).await();
            held.await();
            assertThat(Arrays.equals(Tensors.pull(one, w), first)).isTrue();
        }
    }
}
