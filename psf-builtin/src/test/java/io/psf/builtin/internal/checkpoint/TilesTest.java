package io.psf.builtin.internal.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.FolderStore;
import io.psf.api.spi.StoredColumn;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.Tensors;
import io.psf.testkit.PsfTest;
import io.psf.testkit.TestCluster;
import io.psf.testkit.TestShard;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows are copied tile by tile, whatever their width and their numbers. */
class TilesTest {
    private static final TensorId T = TensorId.of("t");
    private static final String STATE = "state";

    @TempDir
    private Path folder;

    private TestCluster cluster(boolean grows, int rows, int width, int slices) {
        PsfTest<?, ?> test =
                SavingFunctions.with(PsfTest.of(VisitPsf.bind(new Visit() {}))).checkpoints(folder);
        return (grows ? test.growing(T, width) : test.tensor(T, rows, width)).on(slices);
    }

    private static LongArray owned(TestShard shard, int rows) {
        return LongArray.wrap(LongStream.range(0, rows).filter(shard::owns).toArray());
    }

    private static FloatArray row(long key, int width, int of) {
        FloatArray row = FloatArray.allocate(width);
        for (int c = 0; c < width; c++) {
            row.set(c, ((int) key * 131 + c * 7 + of) % 10_007);
        }
        return row;
    }

    private static void fill(TestShard shard, int rows, int width) {
        int widthOfState = width / 2 + 1;
        LongArray keys = owned(shard, rows);
        int[] local = shard.rows(keys);
        StoredColumn values = shard.storedValues();
        StoredColumn state = shard.storedSlot(STATE, widthOfState);
        for (int i = 0; i < local.length; i++) {
            values.write(local[i], row(keys.get(i), width, 1));
            state.write(local[i], row(keys.get(i), widthOfState, 2));
        }
    }

    private static void require(TestShard shard, int rows, int width) {
        int widthOfState = width / 2 + 1;
        LongArray keys = owned(shard, rows);
        assertThat(shard.rows()).isEqualTo(keys.length());
        for (int i = 0; i < keys.length(); i++) {
            int row = shard.find(keys.get(i));
            assertThat(shard.storedValues().read(row, 1)).isEqualTo(row(keys.get(i), width, 1));
            assertThat(shard.storedSlot(STATE, widthOfState).read(row, 1)).isEqualTo(row(keys.get(i), widthOfState, 2));
        }
    }

    /**
     * Returns the shard with another rule for new rows: those of one call are numbered from the last key to the first.
     */
    private static StoredShard fromTheLast(TestShard shard) {
        return (StoredShard) Proxy.newProxyInstance(
                StoredShard.class.getClassLoader(), new Class<?>[] {StoredShard.class}, (self, method, arguments) -> {
                    if (method.getName().equals("rows") && arguments != null) {
                        LongArray keys = (LongArray) arguments[0];
                        for (int i = keys.length() - 1; i >= 0; i--) {
                            shard.row(keys.get(i));
                        }
                    }
                    return method.invoke(shard, arguments);
                });
    }

    @ParameterizedTest
    @CsvSource({
        "false, 200000, 1, 3, 2",
        "false, 9000, 16, 2, 3",
        "false, 5, 65536, 1, 2",
        "false, 5, 65537, 2, 1",
        "false, 4, 200000, 2, 3",
        "true, 20000, 1, 3, 2",
        "true, 9000, 16, 2, 3",
        "true, 9000, 16, 3, 1",
        "true, 7, 65537, 2, 3",
        "true, 4, 200000, 2, 1"
    })
    void rowsOfAnyWidthComeBackOnOtherSlices(boolean grows, int rows, int width, int before, int after) {
        TestCluster saved = cluster(grows, rows, width, before);
        for (int slice = 0; slice < before; slice++) {
            fill(saved.shard(T, slice), rows, width);
        }
        Tensors.save(saved, T, "tiles");
        TestCluster loaded = cluster(grows, rows, width, after);
        ModelImages images =
                ModelSteps.of(new FolderStore(folder), "tiles/t.tensor").read(0);
        for (int slice = 0; slice < after; slice++) {
            TestShard shard = loaded.shard(T, slice);
            images.load(shard, "tiles", true, LoadScope.TENSORS);
            images.load(slice % 2 == 0 ? fromTheLast(shard) : shard, "tiles", false, LoadScope.TENSORS);
            require(shard, rows, width);
        }
    }
}
