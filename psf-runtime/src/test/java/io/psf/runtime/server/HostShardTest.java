package io.psf.runtime.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.runtime.store.chronicle.NativeStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Keys and rows of a shard. */
final class HostShardTest {
    private static final Optimizer NONE = new Optimizer() {
        @Override
        public void apply(Shard shard, FloatArray update) {}

        @Override
        public void apply(Shard shard, LongArray keys, FloatArray update) {}
    };

    private static HostShard shard(Lane lane, Range range, long rows, int width) {
        return new HostShard(
                new TensorInfo(TensorId.of("w"), rows, width),
                1,
                range,
                NONE,
                new NativeStore(),
                lane,
                List::of,
                tensor -> null,
                () -> Path.of("unused"));
    }

    @Test
    void theRowsOfManyKeysAreThoseOfEach() {
        try (Lane lane = new Lane("test")) {
            long first = (1L << 40) + 7;
            HostShard shard = shard(lane, new Range(first, first + 3000), 1L << 41, 3);
            for (int i = 0; i < shard.values().length(); i++) {
                shard.values().set(i, i);
            }
            for (int n : new int[] {0, 1, 511, 512, 513, 2000}) {
                LongArray keys = LongArray.wrap(
                        new Random(n).longs(n, first, first + 3000).toArray());
                int[] rows = shard.rows(keys);
                FloatArray gathered = shard.gather(keys);
                assertThat(rows).hasSize(n);
                assertThat(gathered.length()).isEqualTo(3 * n);
                for (int i = 0; i < n; i++) {
                    assertThat(rows[i]).isEqualTo(shard.row(keys.get(i)));
                    assertThat(gathered.slice(3 * i, 3 * i + 3)).isEqualTo(shard.values(keys.get(i)));
                }
            }
        }
    }

    @Test
    void aKeyOfAnotherShardIsNamedWhereverItStands() {
        try (Lane lane = new Lane("test")) {
            HostShard shard = shard(lane, new Range(10, 20), 30, 2);
            for (long wrong : new long[] {9, 20, -1, Long.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE + 15}) {
                for (int at : new int[] {0, 511, 512, 999}) {
                    long[] keys = new Random(at).longs(1000, 10, 20).toArray();
                    keys[at] = wrong;
                    assertThatThrownBy(() -> shard.rows(LongArray.wrap(keys)))
                            .isInstanceOf(PsException.class)
                            .hasMessageContaining("key: " + wrong + " (expected: a row in [10, 20))");
                    assertThatThrownBy(() -> shard.gather(LongArray.wrap(keys)))
                            .isInstanceOf(PsException.class)
                            .hasMessageContaining("key: " + wrong + " (expected: a row in [10, 20))");
                }
            }
        }
    }
}
