package io.psf.builtin.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.builtin.Laws;
import io.psf.builtin.Optimizers;
import io.psf.testkit.PsfTest;
import io.psf.testkit.TestShard;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LowestTest {
    private static final TensorId T = TensorId.of("t");

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void theRowsAreTheFirstOfTheSortedOnesAndOfEqualRanksThoseOfTheLowestKeys(boolean byCount, boolean leavesPresent) {
        for (int seed = 0; seed < Laws.cases(15); seed++) {
            Random random = new Random(seed);
            int n = 1 + random.nextInt(700);
            int bound = seed % 3 == 0 ? 4 : seed % 3 == 1 ? 1 << 20 : Integer.MAX_VALUE;
            int[] steps = random.ints(n, 0, bound).toArray();
            int[] counts = random.ints(n, 1, bound).toArray();
            int present = Math.max(1, steps[0]); // and maybe of others
            TestShard shard = PsfTest.of(CountPolicyPsf.bind(new CountPolicy() {}))
                    .growing(T, 1)
                    .optimizer(Optimizers.add().create())
                    .on(1)
                    .shard(T, 0);
            shard.rows(LongArray.wrap(LongStream.range(0, n).toArray()));
            HostMarks marks = new HostMarks(shard);
            marks.growTo(n, 0, 0);
            for (int row = 0; row < n; row++) {
                marks.write(LongArray.of(row), new int[] {Math.min(present, steps[row]), 0, counts[row]});
            }
            int k = 1 + random.nextInt(n);
            Comparator<Integer> byStep = Comparator.comparing(row -> Math.min(present, steps[row]));
            Comparator<Integer> byRank = byCount
                    ? Comparator.<Integer, Integer>comparing(row -> counts[row]).thenComparing(byStep)
                    : byStep;
            long[] sorted = IntStream.range(0, n)
                    .boxed()
                    .filter(row -> !leavesPresent || steps[row] < present)
                    .sorted(byRank.thenComparing(row -> keyOf(row)))
                    .limit(k)
                    .mapToLong(LowestTest::keyOf)
                    .toArray();
            assertThat(new Lowest(marks, byCount, leavesPresent ? present : -1).keys(k, LowestTest::keyOf))
                    .as("seed %s", seed)
                    .containsExactlyInAnyOrder(sorted);
        }
    }

    /** Not in the order of the rows, and also negative. */
    private static long keyOf(int row) {
        return 0x9E3779B97F4A7C15L * (row + 1);
    }
}
