package io.psf.gpu.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Range;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.initializer.Uniform;
import io.psf.gpu.OnDevice;
import io.psf.gpu.Rule;
import io.psf.gpu.driver.Device;
import io.psf.runtime.spi.shard.Slice;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Pushes by key on a device, of which keys are repeated as no push of a worker repeats them: the items of a row step it
 * in their order. The oracle is a push of each item by itself.
 */
@ExtendWith(OnDevice.class)
class PushesByKeyTest {
    private static final int ROWS = 6000;

    private final Random random = new Random(3);

    private static CudaShard shard(Workspace workspace, Rule rule, boolean grows, int width) {
        float[] arguments = new float[rule.arguments()];
        Arrays.fill(arguments, 0.25f);
        long rows = grows ? TensorInfo.GROWING : ROWS;
        Slice slice = new Slice(
                new TensorInfo(TensorId.of("t"), rows, width),
                0,
                new Range(0, grows ? rows - 1 : rows),
                "device:0",
                rule.create(arguments),
                shard -> {});
        FloatArray scratch = FloatArray.view(workspace.hostMemory(2 * ROWS * width * Float.BYTES));
        DeviceLane ofDevice = DeviceLane.acquire(workspace.device());
        CudaShard shard = new CudaShard(slice, ofDevice, new ShardMemory(workspace), new NoLane(scratch));
        assertThat(shard.generate(new Uniform(-1, 1, 7))).isTrue();
        shard.moveToLane();
        return shard;
    }

    /** Returns n keys: all different and in any order, or with repeated ones among them. */
    private LongArray keys(int n, boolean repeats) {
        long[] keys = LongStream.range(0, ROWS).toArray();
        for (int i = keys.length - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            long key = keys[other];
            keys[other] = keys[i];
            keys[i] = key;
        }
        for (int i = 0; repeats && i < n / 5; i++) {
            keys[random.nextInt(n)] = keys[random.nextInt(n)];
        }
        return LongArray.wrap(Arrays.copyOf(keys, n));
    }

    @ParameterizedTest
    @EnumSource(
            value = Rule.class,
            names = {"SGD", "ADAM", "ROW_ADA_GRAD"})
    void theItemsOfARowStepItInTheirOrder(Rule rule) {
        DeviceLane ofDevice = DeviceLane.acquire(Device.of(0));
        Workspace workspace = ofDevice.workspace();
        for (int width : new int[] {3, 4}) {
            for (boolean grows : new boolean[] {false, true}) {
                CudaShard together = shard(workspace, rule, grows, width);
                CudaShard alone = shard(workspace, rule, grows, width);
                for (int n : new int[] {1, 40, 700, RepeatedKeys.MOST, RepeatedKeys.MOST + 900}) {
                    for (boolean repeats : new boolean[] {true, false}) {
                        push(together, alone, keys(n, repeats), width);
                    }
                }
                together.giveUp();
                alone.giveUp();
            }
        }
        ofDevice.release();
    }

    private void push(CudaShard together, CudaShard alone, LongArray keys, int width) {
        FloatArray update = FloatArray.allocate(keys.length() * width);
        for (int i = 0; i < update.length(); i++) {
            update.set(i, (float) random.nextGaussian());
        }
        together.optimizer().apply(together, keys, update);
        for (int i = 0; i < keys.length(); i++) {
            alone.optimizer().apply(alone, keys.slice(i, i + 1), update.slice(i * width, (i + 1) * width));
        }
        LongArray all = LongArray.wrap(LongStream.range(0, ROWS).toArray());
        float[] stepped = together.gather(all).toArray();
        assertThat(Arrays.equals(stepped, alone.gather(all).toArray()))
                .as("%d keys, %d wide", keys.length(), width)
                .isTrue();
        assertThat(together.rows()).isEqualTo(alone.rows());
    }
}
