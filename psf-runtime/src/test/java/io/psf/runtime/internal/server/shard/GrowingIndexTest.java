package io.psf.runtime.internal.server.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.TensorInfo;
import io.psf.runtime.internal.store.Stores;
import io.psf.runtime.spi.store.MemoryLimit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class GrowingIndexTest {
    @Test
    void anIndexThatIsFullSaysSoAndKeepsWhatItHas() {
        GrowingIndex index = new GrowingIndex(
                "w.1", new Range(0, TensorInfo.GROWING), Stores.inMemory(MemoryLimit.NONE), 2000, rows -> rows);
        long[] keys = LongStream.range(0, 512).toArray();
        int[] rows = new int[512];
        for (int round = 0; round < 3; round++) {
            index.rows(keys, 512, rows, 0);
            keys = LongStream.of(keys).map(key -> key + 512).toArray();
        }
        long[] last = keys;
        assertThatThrownBy(() -> index.rows(last, 512, rows, 0))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("rows of w.1: 2001 (expected: at most 2000; use more slices)");
        index.rows(LongStream.range(0, 2000).toArray(), 512, rows, 0);
        assertThat(rows).startsWith(0, 1, 2).endsWith(511);
        assertThat(index.rows()).isEqualTo(2000);
    }
}
