package io.psf.gpu.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.FloatTypes;
import io.psf.api.array.LongArray;
import io.psf.builtin.initializer.Normal;
import io.psf.gpu.OnDevice;
import io.psf.gpu.Rule;
import io.psf.gpu.driver.Device;
import io.psf.runtime.spi.shard.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The pulls of a chain's calls on a device: the first that is answered reads the rows of all. */
@ExtendWith(OnDevice.class)
class PullsTest {
    private static final int ROWS = 1000;
    private static final float NEVER = -7;

    private final List<CudaShard> shards = new ArrayList<>();
    private final Random random = new Random(5);
    private DeviceLane ofDevice;
    private NoLane lane;

    @BeforeEach
    void begin() {
        ofDevice = DeviceLane.acquire(Device.of(0));
        lane = new NoLane(FloatArray.view(ofDevice.workspace().hostMemory(8 << 20)));
    }

    @AfterEach
    void end() {
        shards.forEach(CudaShard::giveUp);
        ofDevice.release();
    }

    private CudaShard shard(int width, boolean grows, FloatType storage) {
        long rows = grows ? TensorInfo.GROWING : ROWS;
        TensorInfo tensor = new TensorInfo(
                TensorId.of("t" + shards.size()), rows, width, new FloatTypes(storage, false, FloatType.FLOAT32));
        Slice slice = new Slice(
                tensor, 0, new Range(0, grows ? rows - 1 : rows), "device:0", Rule.ADD.create(1f), shard -> {});
        DeviceLane again = DeviceLane.acquire(ofDevice.workspace().device());
        CudaShard shard = new CudaShard(slice, again, new ShardMemory(again.workspace()), lane);
        shards.add(shard);
        assertThat(shard.generate(new Normal(0, 1, shards.size()))).isTrue();
        shard.moveToLane();
        if (grows) {
            LongArray all = LongArray.wrap(LongStream.range(0, ROWS).toArray());
            var unused = shard.rows(all);
        }
        return shard;
    }

    private LongArray keys(int n) {
        return LongArray.wrap(random.longs(n, 0, ROWS).toArray());
    }

    private static FloatArray put(CudaShard shard, LongArray keys) {
        FloatArray pulled = shard.gatherForAnswer(keys, FloatType.FLOAT32);
        pulled.fill(NEVER);
        return pulled;
    }

    @Test
    void theFirstAnswerReadsTheRowsOfAll() {
        for (FloatType storage : List.of(FloatType.FLOAT32, FloatType.FLOAT16, FloatType.BFLOAT16)) {
            for (int width : new int[] {1, 3, 4, 64}) {
                shard(width, width % 4 == 0, storage);
                shard(width, width % 4 != 0, storage);
            }
        }
        List<LongArray> keys = new ArrayList<>();
        float[] values = shards.get(0).valuesForAnswer().toArray();
        lane.beginChain();
        List<FloatArray> pulled = new ArrayList<>();
        for (int i = 0; i < shards.size(); i++) {
            keys.add(keys(i == 2 ? 0 : random.nextInt(900)));
            pulled.add(put(shards.get(i), keys.get(i)));
        }
        FloatArray whole = shards.get(0).valuesForAnswer(FloatType.FLOAT32);
        whole.fill(NEVER);
        List<Runnable> work = lane.endChain();
        assertThat(work).hasSize(shards.size() + 1);
        work.get(0).run();
        assertThat(whole.toArray()).isEqualTo(values).doesNotContain(NEVER);
        List<float[]> all = pulled.stream().map(FloatArray::toArray).toList();
        work.forEach(Runnable::run);
        for (int i = 0; i < shards.size(); i++) {
            assertThat(pulled.get(i).toArray()).as("shard " + i).isEqualTo(all.get(i));
            assertThat(all.get(i))
                    .as("shard " + i)
                    .isEqualTo(shards.get(i).gather(keys.get(i)).toArray())
                    .doesNotContain(NEVER);
        }
    }

    @Test
    void thoseThatNeedMoreAreDoneByThemselves() {
        CudaShard fixed = shard(4, false, FloatType.FLOAT32);
        CudaShard growing = shard(8, true, FloatType.FLOAT32);
        LongArray missing = LongArray.of(3, ROWS + 5, 7);
        LongArray absent = LongArray.of(1, ROWS, 2);
        lane.beginChain();
        FloatArray whole = put(growing, LongArray.of(3, 8, 7));
        FloatArray initial = put(growing, missing);
        FloatArray refused = put(fixed, absent);
        FloatArray last = put(fixed, LongArray.of(9));
        List<Runnable> work = lane.endChain();
        work.get(0).run();
        assertThat(whole.toArray()).doesNotContain(NEVER);
        assertThat(last.toArray()).doesNotContain(NEVER);
        work.get(1).run();
        float[] pulled = initial.toArray();
        assertThat(growing.rows()).as("pulls create no row").isEqualTo(ROWS);
        assertThatThrownBy(work.get(2)::run)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.OUT_OF_RANGE))
                .hasMessageContaining("key: " + ROWS);
        work.get(3).run();
        assertThat(refused.length()).isEqualTo(12);
        assertThat(pulled).isEqualTo(growing.gather(missing).toArray());
        assertThat(last.toArray()).isEqualTo(fixed.gather(LongArray.of(9)).toArray());
    }

    @Test
    void longOnesAndThoseOfAnotherFormatAreNotPutOff() {
        CudaShard shard = shard(64, false, FloatType.FLOAT32);
        lane.beginChain();
        FloatArray one = shard.gatherForAnswer(keys(1025), FloatType.FLOAT32);
        FloatArray other = shard.gatherForAnswer(keys(3), FloatType.FLOAT16);
        assertThat(lane.endChain()).isEmpty();
        assertThat(one.length()).isEqualTo(1025 * 64);
        assertThat(other.length()).isEqualTo(3 * 64);
    }

    /** The call of the first pull fails after it, so that nobody does its work; its memory is used again. */
    @Test
    void whatAFailedCallHasPutOffIsForgotten() {
        CudaShard shard = shard(4, false, FloatType.FLOAT32);
        lane.beginChain();
        var unused = put(shard, LongArray.of(5));
        assertThat(lane.endChain()).hasSize(1);
        lane.beginChain();
        FloatArray again = put(shard, LongArray.of(6));
        FloatArray second = put(shard, LongArray.of(7));
        List<Runnable> work = lane.endChain();
        work.forEach(Runnable::run);
        assertThat(again.toArray()).isEqualTo(shard.gather(LongArray.of(6)).toArray());
        assertThat(second.toArray()).doesNotContain(NEVER);
    }
}
