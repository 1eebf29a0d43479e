package io.psf.builtin.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SketchTest {
    @Test
    void fewKeysAreCountedExactly() {
        Sketch sketch = new Sketch(1 << 16);
        Map<Long, Integer> model = new HashMap<>();
        Random random = new Random(1);
        for (int i = 0; i < 2000; i++) {
            long key = random.nextInt(300) * 0x9E3779B97F4A7C15L;
            assertThat(sketch.add(key)).isEqualTo(model.merge(key, 1, Integer::sum));
        }
    }

    @Test
    void countsOfManyKeysAreNeverTooLowAndRarelyTooHigh() {
        Sketch sketch = new Sketch(1 << 16); // 16,384 counters a row, halved after as many keys
        Map<Long, Integer> model = new HashMap<>();
        Random random = new Random(2);
        int wrong = 0;
        for (int i = 0; i < 1 << 14; i++) {
            long key = random.nextInt(10_000);
            int count = sketch.add(key);
            int expected = model.merge(key, 1, Integer::sum);
            assertThat(count).isGreaterThanOrEqualTo(expected);
            wrong += count == expected ? 0 : 1;
        }
        assertThat(wrong).isLessThan((1 << 14) / 20);
    }

    @Test
    void oldKeysAreForgotten() {
        Sketch sketch = new Sketch(1 << 10); // 256 counters a row
        for (int i = 0; i < 200; i++) {
            sketch.add(7);
        }
        for (int i = 0; i < 3000; i++) {
            sketch.add(7_000 + i % 2);
        }
        assertThat(sketch.add(7)).isLessThan(10);
    }

    @Test
    void countsStayWithinAByte() {
        Sketch sketch = new Sketch(1 << 20);
        int count = 0;
        for (int i = 0; i < 1000; i++) {
            count = sketch.add(1);
        }
        assertThat(count).isEqualTo(255);
    }
}
