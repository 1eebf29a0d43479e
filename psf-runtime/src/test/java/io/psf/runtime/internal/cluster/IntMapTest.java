package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A map that shares its parts with its copies, beside a HashMap. */
final class IntMapTest {
    /** With a mask, keys agree in most of their bits, and the trie is deep. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 0xff, 0xf8000007, 0xc0000000})
    void itHasWhatAHashMapHas(int mask) {
        Random random = new Random(7);
        IntMap<Integer> map = IntMap.empty();
        Map<Integer, Integer> expected = new HashMap<>();
        for (int i = 0; i < 3000; i++) {
            int key = random.nextInt() & mask;
            IntMap<Integer> before = map;
            int sizeBefore = expected.size();
            if (random.nextInt(3) == 0) {
                map = map.without(key);
                expected.remove(key);
            } else {
                map = map.with(key, i);
                expected.put(key, i);
            }
            assertThat(before.size()).isEqualTo(sizeBefore);
            assertThat(map.size()).isEqualTo(expected.size());
            assertThat(map.get(key)).isEqualTo(expected.get(key));
        }
        IntMap<Integer> last = map;
        expected.forEach((key, value) -> assertThat(last.get(key)).isEqualTo(value));
        List<Integer> values = new ArrayList<>();
        last.forEach(values::add);
        assertThat(values).containsExactlyInAnyOrderElementsOf(expected.values());
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0xf8000007})
    void mapsOfTheSameEntriesAreEqualHoweverTheyWereMade(int mask) {
        Random random = new Random(8);
        IntMap<Integer> one = IntMap.empty();
        Map<Integer, Integer> entries = new HashMap<>();
        for (int i = 0; i < 500; i++) {
            int key = random.nextInt() & mask;
            one = one.with(key, i);
            entries.put(key, i);
        }
        IntMap<Integer> other = IntMap.<Integer>empty().with(12345, 1);
        for (Map.Entry<Integer, Integer> entry : entries.entrySet()) {
            int passing = random.nextInt();
            other = other.with(entry.getKey(), entry.getValue());
            other = entries.containsKey(passing)
                    ? other
                    : other.with(passing, 0).without(passing);
        }
        other = entries.containsKey(12345) ? other : other.without(12345);
        assertThat(other).isEqualTo(one).hasSameHashCodeAs(one);
        assertThat(other.with(entries.keySet().iterator().next(), -1)).isNotEqualTo(one);
    }
}
