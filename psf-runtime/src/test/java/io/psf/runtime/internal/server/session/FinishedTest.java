package io.psf.runtime.internal.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Which calls are over. */
final class FinishedTest {
    private static final int WINDOW = 1 << 20;

    private final Finished finished = new Finished();

    @Test
    void itIsTheSetOfWhatWasAdded() {
        for (long seed = 0; seed < 40; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Finished numbers = new Finished();
            Set<Long> expected = new HashSet<>();
            int range = 1 << random.nextInt(4, 14);
            for (int step = 0; step < 300; step++) {
                long number = random.nextLong(range);
                if (random.nextInt(50) == 0) {
                    numbers.addBelow(number / 4);
                    for (long each = 0; each < number / 4; each++) {
                        expected.add(each);
                    }
                } else {
                    numbers.add(number);
                    expected.add(number);
                }
            }
            for (long number = 0; number < 2L * range; number++) {
                assertThat(numbers.contains(number))
                        .as("%d, seed %d", number, seed)
                        .isEqualTo(expected.contains(number));
            }
        }
    }

    @Test
    void whatFallsBehindTheWindowCountsAsFinished() {
        finished.add(5);
        finished.add(WINDOW + 100);
        assertThat(finished.contains(7)).isTrue();
        assertThat(finished.contains(100)).isTrue();
        assertThat(finished.contains(101)).isFalse();
        assertThat(finished.contains(WINDOW + 100)).isTrue();
        assertThat(finished.contains(WINDOW + 101)).isFalse();
        finished.add(50L * WINDOW);
        assertThat(finished.contains(49L * WINDOW)).isTrue();
        assertThat(finished.contains(49L * WINDOW + 1)).isFalse();
        assertThat(finished.contains(50L * WINDOW)).isTrue();
    }

    @Test
    void numbersThatNoCallerHasDoNoHarm() {
        finished.add(-3);
        finished.add(Long.MIN_VALUE);
        finished.add(Long.MAX_VALUE);
        finished.addBelow(-1);
        assertThat(finished.contains(Long.MAX_VALUE / 2)).isTrue();
        finished.add(Long.MAX_VALUE - 1);
        finished.addBelow(Long.MAX_VALUE);
        assertThat(finished.contains(1)).isTrue();
    }
}
