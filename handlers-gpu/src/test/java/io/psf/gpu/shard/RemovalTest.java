package io.psf.gpu.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Removes rows one after the other, as a shard on the host does, and compares. */
class RemovalTest {
    static IntStream seeds() {
        return IntStream.range(0, 200);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void movesAndEventsAreThoseOfTheHost(int seed) {
        Random random = new Random(seed);
        int count = 1 + random.nextInt(40);
        List<Integer> all = new ArrayList<>(IntStream.range(0, count).boxed().toList());
        Collections.shuffle(all, random);
        List<Integer> chosen = new ArrayList<>(all.subList(0, random.nextInt(count + 1)));
        for (int i = random.nextInt(3); i > 0; i--) {
            chosen.add(random.nextInt(chosen.size() + 1), -1);
        }

        List<Integer> content =
                new ArrayList<>(IntStream.range(0, count).boxed().toList());
        List<List<Integer>> events = new ArrayList<>();
        for (int item = 0; item < chosen.size(); item++) {
            int row = content.indexOf(chosen.get(item));
            if (row >= 0) {
                int last = content.size() - 1;
                content.set(row, content.get(last));
                content.remove(last);
                events.add(List.of(item, row, last));
            }
        }

        Removal removal = Removal.of(chosen.stream().mapToInt(Integer::intValue).toArray(), count);
        int[] moved = IntStream.range(0, count).toArray();
        for (int i = 0; i < removal.from().length; i++) {
            assertThat(removal.from()[i]).as("moved from").isGreaterThanOrEqualTo(removal.count());
            assertThat(removal.to()[i]).as("moved to").isLessThan(removal.count());
            moved[removal.to()[i]] = removal.from()[i];
        }
        List<List<Integer>> told = IntStream.range(0, removal.items().length)
                .mapToObj(i -> List.of(removal.items()[i], removal.rows()[i], removal.lasts()[i]))
                .toList();
        assertThat(told).isEqualTo(events);
        assertThat(Arrays.stream(moved).limit(removal.count()).boxed()).isEqualTo(content);
    }

    @Test
    void anItemThatRepeatsARowHasNone() {
        assertThat(Removal.once(new int[] {3, -1, 0, 3, 0, 5}, 6)).containsExactly(3, -1, 0, -1, -1, 5);
    }
}
