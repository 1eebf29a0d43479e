package io.psf.gpu.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The notifications of attachments after kernels have removed and moved rows, in any order. */
class RemovedTest {
    static IntStream seeds() {
        return IntStream.range(0, 200);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void attachmentsThatFollowHaveTheRowsOfTheTable(int seed) {
        Random random = new Random(seed);
        int count = 1 + random.nextInt(40);
        List<Integer> all = new ArrayList<>(IntStream.range(0, count).boxed().toList());
        Collections.shuffle(all, random);
        List<Integer> gone = all.subList(0, random.nextInt(count + 1));
        int tail = count - gone.size();
        List<Integer> holes =
                new ArrayList<>(gone.stream().filter(row -> row < tail).toList());
        List<Integer> movers = new ArrayList<>(IntStream.range(tail, count)
                .filter(row -> !gone.contains(row))
                .boxed()
                .toList());
        Collections.shuffle(holes, random);
        Collections.shuffle(movers, random);
        int[] table = IntStream.range(0, count).toArray();
        for (int i = 0; i < holes.size(); i++) {
            table[holes.get(i)] = movers.get(i);
        }

        Removed removed = new Removed(
                gone.size(),
                tail,
                movers.stream().mapToInt(row -> row).toArray(),
                holes.stream().mapToInt(row -> row).toArray(),
                holes.stream().mapToLong(RemovedTest::key).toArray(),
                IntStream.range(tail, count).mapToLong(RemovedTest::key).toArray());
        List<Integer> content =
                new ArrayList<>(IntStream.range(0, count).boxed().toList());
        TreeSet<Long> forgotten = new TreeSet<>();
        removed.tell(
                (key, row, last) -> {
                    assertThat(last).isEqualTo(content.size() - 1);
                    assertThat(key).isEqualTo(key(content.get(row)));
                    content.set(row, content.get(last));
                    content.remove(last);
                },
                keys -> Arrays.stream(keys.toArray()).forEach(forgotten::add));
        assertThat(content).isEqualTo(Arrays.stream(table).limit(tail).boxed().toList());
        assertThat(forgotten)
                .isEqualTo(new TreeSet<>(gone.stream().map(RemovedTest::key).toList()));
    }

    private static long key(int row) {
        return 1000L + row;
    }
}
