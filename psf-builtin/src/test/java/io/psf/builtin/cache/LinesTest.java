package io.psf.builtin.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.array.FloatArray;
import io.psf.builtin.Laws;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LinesTest {
    private static final int CAPACITY = 8;

    /** A line of the model. The time is that of the last operation that needed it. */
    private static final class Entry {
        final long key;
        int uses;
        int time;

        Entry(long key) {
            this.key = key;
        }
    }

    /** LRU, LFU-opt, LFU, and LFU whose counts end at the highest level. */
    @ParameterizedTest
    @ValueSource(ints = {1, 11, 3, 4096})
    void evictTheLineOfTheLowestLevelThatWasNeededLeastRecently(int levels) {
        for (int seed = 0; seed < Laws.cases(8); seed++) {
            Random random = new Random(seed);
            Lines lines = new Lines(CAPACITY, 1, levels);
            List<Entry> model = new ArrayList<>();
            int time = 0;
            for (int step = 0; step < 500; step++) {
                List<Entry> needed = new ArrayList<>();
                int keys = 1 + random.nextInt(CAPACITY);
                for (int i = 0; i < keys; i++) {
                    long key = Math.round(Math.abs(random.nextGaussian()) * 8);
                    Entry entry = model.stream()
                            .filter(each -> each.key == key)
                            .findFirst()
                            .orElse(null);
                    int line = lines.find(key);
                    assertThat(line >= 0).isEqualTo(entry != null);
                    if (entry == null) {
                        int victim = lines.victim();
                        if (model.size() == CAPACITY) {
                            Entry least = model.stream()
                                    .filter(each -> !needed.contains(each))
                                    .min(Comparator.<Entry>comparingInt(each -> Math.min(each.uses, levels - 1))
                                            .thenComparingInt(each -> each.time))
                                    .orElseThrow();
                            assertThat(lines.key(victim)).isEqualTo(least.key);
                            model.remove(least);
                        }
                        lines.insert(victim, key);
                        entry = new Entry(key);
                        model.add(entry);
                        line = victim;
                    } else {
                        lines.pin(line);
                    }
                    if (!needed.contains(entry)) {
                        needed.add(entry);
                        if (random.nextInt(4) > 0) {
                            entry.uses++;
                            lines.use(line);
                        }
                    }
                }
                assertThat(lines.pins()).isEqualTo(needed.size());
                for (Entry entry : needed) {
                    entry.time = time++;
                }
                lines.unpin();
                assertThat(lines.size()).isEqualTo(model.size());
            }
        }
    }

    @Test
    void aLineHasItsRowAndItsUnsentUpdates() {
        Lines lines = new Lines(2, 2, 1);
        float[] row = new float[3];
        lines.insert(lines.victim(), 7);
        lines.insert(lines.victim(), Long.MIN_VALUE);
        int line = lines.find(Long.MIN_VALUE);
        lines.update(line, new float[] {0, 1, 2}, 1, -1);
        lines.update(line, new float[] {1, 1}, 0, -1);
        assertThat(lines.updates(line)).isEqualTo(2);
        assertThat(lines.version(line)).isEqualTo(Lines.NONE);
        lines.setRow(line, 5, FloatArray.of(0, 10, 20), 1, -1);
        lines.copyRow(line, row, 1);
        assertThat(row).containsExactly(0, 8, 17);
        lines.copyUnsent(line, row, 1);
        assertThat(row).containsExactly(0, 2, 3);
        lines.clearUnsent(line);
        lines.setRow(line, 6, FloatArray.of(30, 40), 0, -1);
        lines.update(line, new float[] {1, 2}, 0, 0);
        lines.copyRow(line, row, 0);
        assertThat(row).startsWith(30, 40);
        lines.unpin();
        lines.insert(lines.victim(), 8);
        lines.insert(lines.victim(), 9);
        assertThat(lines.find(9)).isEqualTo(line);
        assertThat(lines.updates(line)).isZero();
        lines.copyUnsent(line, row, 0);
        assertThat(row).startsWith(0, 0);
    }
}
