package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.gpu.onhost.OnHostDriver;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pushes of which a call of the driver fails, each call in turn. What the table has afterwards is between the values before
 * and those of the whole push, and later pushes are exact. All numbers are small integers.
 */
@ExtendWith(OnHostDriver.class)
class FailedCalls {
    /** More than the calls of a push. */
    private static final int CALLS = 45;

    private static final int OUT_OF_MEMORY = 2;
    private static final int OUT_OF_RESOURCES = 701;
    private static final int ROWS = 2000;

    private static PsCluster cluster;
    private static Worker worker;

    private final Random random = new Random(1);

    @BeforeAll
    static void start() {
        cluster = PsCluster.builder().servers(1).lanes(1).devices(0).start();
        worker = cluster.worker();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    /** A table with an update of it, the keys with duplicates. */
    private record Push(TensorId tensor, int width, long[] keys, float[] update) {
        void run() {
            Tensors.pushRows(worker, tensor, keys, update).await();
        }

        float[] values() {
            float[] values = new float[ROWS * width];
            long[] all = new long[ROWS];
            for (int i = 0; i < ROWS; i++) {
                all[i] = i;
            }
            Tensors.pullRows(worker, tensor, all, values).await();
            return values;
        }

        /** Returns values with this push added. */
        float[] addedTo(float[] values) {
            float[] sums = values.clone();
            for (int i = 0; i < update.length; i++) {
                sums[(int) keys[i / width] * width + i % width] += update[i];
            }
            return sums;
        }
    }

    private Push push(TensorId tensor, int width) {
        long[] keys = random.longs(1 + random.nextInt(200), 0, ROWS).toArray();
        for (int i = 0; i < keys.length / 4; i++) {
            keys[random.nextInt(keys.length)] = keys[0];
        }
        float[] update = new float[keys.length * width];
        for (int i = 0; i < update.length; i++) {
            update[i] = 1 + random.nextInt(3);
        }
        return new Push(tensor, width, keys, update);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPushOfWhichACallFailsLeavesATableThatIsRight(boolean grows) throws IOException {
        for (int width : new int[] {3, 4}) {
            int failures = 0;
            for (int n = 1; n <= CALLS; n++) {
                int result = n % 2 == 0 ? OUT_OF_MEMORY : OUT_OF_RESOURCES;
                TensorSpec spec = grows ? TensorSpec.growing("t", width) : TensorSpec.table("t", ROWS, width);
                TensorId tensor =
                        Tensors.init(worker, spec.optimizer(Optimizers.add()).device());
                push(tensor, width).run();
                Push failing = push(tensor, width);
                float[] before = failing.values();
                boolean failed = false;
                OnHostDriver.inject("*:" + n + ":" + result);
                try {
                    failing.run();
                } catch (PsException e) {
                    failed = true;
                    failures++;
                    assertThat(e.code())
                            .isEqualTo(
                                    result == OUT_OF_MEMORY
                                            ? PsException.Code.RESOURCE_EXHAUSTED
                                            : e.detail().contains("kernel")
                                                    ? PsException.Code.HANDLER_FAILED
                                                    : PsException.Code.INTERNAL);
                } finally {
                    OnHostDriver.inject("");
                }
                String what = "call " + n + ", width " + width;
                float[] after = failing.values();
                float[] whole = failing.addedTo(before);
                for (int i = 0; i < after.length; i++) {
                    assertThat(after[i])
                            .as("element %d, %s", i, what)
                            .isBetween(failed ? before[i] : whole[i], whole[i]);
                }
                for (int later = 0; later < 3; later++) {
                    Push next = push(tensor, width);
                    next.run();
                    after = next.addedTo(after);
                    assertThat(next.values()).as(what).isEqualTo(after);
                }
                Tensors.clear(worker, tensor);
            }
            assertThat(failures).as("calls that failed").isGreaterThan(8).isLessThan(CALLS);
        }
        assertThat(OnHostDriver.violations()).isEmpty();
    }

    @Test
    void aLaunchThatFailsIsNamed() throws IOException {
        TensorId tensor = Tensors.init(
                worker,
                TensorSpec.table("named", ROWS, 3).optimizer(Optimizers.add()).device());
        OnHostDriver.inject("cuLaunchKernel(psf_add_rows):1:" + OUT_OF_RESOURCES);
        Push push = push(tensor, 3);
        assertThatThrownBy(push::run)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.HANDLER_FAILED))
                .hasMessageContaining("kernel psf_add_rows<<<")
                .hasMessageContaining("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES");
        assertThat(push.values()).as("nothing was added").containsOnly(0);
        push.run();
        assertThat(push.values()).isEqualTo(push.addedTo(new float[ROWS * 3]));
        Tensors.clear(worker, tensor);
    }
}
