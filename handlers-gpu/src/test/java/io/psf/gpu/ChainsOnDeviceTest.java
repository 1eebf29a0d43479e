package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.dense.DensePull;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.sparse.SparsePull;
import io.psf.builtin.sparse.SparsePullPsf;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.runtime.Chain;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Chains of pushes and pulls of several tables on a device, with the same chains on the host as the oracle. */
@ExtendWith(OnDevice.class)
class ChainsOnDeviceTest {
    private static final long ROWS = 500;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    private TensorSpec spec(int i, boolean grows) {
        int width = new int[] {1, 3, 4, 8, 64}[i % 5];
        TensorSpec spec = grows ? TensorSpec.growing("t" + i, width) : TensorSpec.table("t" + i, ROWS, width);
        spec = spec.slices(2).initializer(Initializers.normal(0, 1, i)).optimizer(Optimizers.sgd(0.1));
        return i % 3 == 2 ? spec.storage(FloatType.BFLOAT16) : i % 3 == 1 ? spec.wire(FloatType.FLOAT16) : spec;
    }

    /**
     * Sends a chain whose calls are those of a seed, to tables on the host or on the device. Returns what was pulled.
     */
    private static List<float[]> send(Worker worker, List<TensorId> tables, long seed) {
        Random random = new Random(seed);
        Chain chain = worker.chain();
        List<Pending<SparsePull.Response>> pulled = new ArrayList<>();
        List<Pending<DensePull.Response>> dense = new ArrayList<>();
        List<Pending<?>> all = new ArrayList<>();
        for (int call = 1 + random.nextInt(90); call > 0; call--) {
            TensorId table = tables.get(random.nextInt(tables.size()));
            if (random.nextInt(6) == 0 && worker.layout(table).info().rows() == ROWS) {
                dense.add(DensePullPsf.stub(chain).call(table));
                continue;
            }
            LongArray keys =
                    LongArray.wrap(random.longs(random.nextInt(300), 0, ROWS).toArray());
            if (random.nextInt(12) == 0) {
                FloatArray update = FloatArray.allocate(
                        keys.length() * worker.layout(table).info().width());
                update.fill(random.nextFloat());
                all.add(SparsePushPsf.stub(chain).call(table, keys, update));
            } else {
                pulled.add(SparsePullPsf.stub(chain).call(table, keys));
            }
        }
        chain.send();
        all.forEach(Pending::await);
        return Stream.concat(
                        pulled.stream().map(each -> each.await().values()),
                        dense.stream().map(each -> each.await().values()))
                .map(FloatArray::toArray)
                .toList();
    }

    @Test
    void giveWhatTheyGiveOnTheHost() {
        try (PsCluster cluster = PsCluster.builder()
                .servers(2)
                .workers(1)
                .lanes(2)
                .devices(0)
                .tcp()
                .start()) {
            Worker worker = cluster.worker();
            for (boolean grows : new boolean[] {false, true}) {
                List<Pair> pairs = IntStream.range(0, 10)
                        .mapToObj(i -> Pair.init(worker, spec(i, grows)))
                        .toList();
                for (int chain = 0; chain < 25; chain++) {
                    long calls = random.nextLong();
                    List<float[]> onHost =
                            send(worker, pairs.stream().map(Pair::host).toList(), calls);
                    List<float[]> onDevice =
                            send(worker, pairs.stream().map(Pair::device).toList(), calls);
                    assertThat(onDevice).as("seed " + seed + ", chain " + chain).hasSameSizeAs(onHost);
                    for (int i = 0; i < onHost.size(); i++) {
                        assertThat(onDevice.get(i))
                                .as("seed " + seed + ", chain " + chain + ", pull " + i)
                                .isEqualTo(onHost.get(i));
                    }
                }
                pairs.forEach(pair -> pair.clear(worker));
            }
        }
    }
}
