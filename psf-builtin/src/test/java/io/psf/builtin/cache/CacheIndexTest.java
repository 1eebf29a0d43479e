package io.psf.builtin.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.builtin.Laws;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CacheIndexTest {
    private static final int MOST = 100;

    /** Few keys collide often, and any int64 is a key. */
    @ParameterizedTest
    @ValueSource(longs = {1, 1L << 20, 1L << 32, 1L << 57, -1, 0x9E3779B97F4A7C15L})
    void agreesWithAMap(long stride) {
        for (int seed = 0; seed < Laws.cases(5); seed++) {
            Random random = new Random(seed);
            CacheIndex index = new CacheIndex(MOST);
            Map<Long, Integer> model = new HashMap<>();
            for (int step = 0; step < 2_000; step++) {
                long key = random.nextInt(300) * stride;
                List<Long> present = new ArrayList<>(model.keySet());
                if (model.size() == MOST || !present.isEmpty() && random.nextInt(5) < 2) {
                    long removed = present.get(random.nextInt(present.size()));
                    index.remove(removed);
                    model.remove(removed);
                } else if (!model.containsKey(key)) {
                    index.add(key, step);
                    model.put(key, step);
                }
                for (int i = 0; i < 10; i++) {
                    long asked = random.nextInt(300) * stride;
                    assertThat(index.find(asked)).isEqualTo(model.getOrDefault(asked, -1));
                }
            }
        }
    }
}
