package io.psf.builtin.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LowestTest {
    @Test
    void theKthLowestRankIsThatOfTheSortedRanks() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            long most = 1L << (1 + random.nextInt(62));
            long[] ranks = random.longs(1 + random.nextInt(50), 0, most).toArray();
            if (seed % 3 == 0) {
                ranks[random.nextInt(ranks.length)] = Long.MAX_VALUE;
            }
            long[] sorted = LongStream.of(ranks).sorted().toArray();
            for (int k = 1; k <= ranks.length; k++) {
                assertThat(Lowest.rank(ranks.length, row -> ranks[row], k))
                        .as("seed %s, k %s", seed, k)
                        .isEqualTo(sorted[k - 1]);
            }
        }
    }
}
