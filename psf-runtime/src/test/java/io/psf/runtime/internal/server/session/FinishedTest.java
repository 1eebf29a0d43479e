package io.psf.runtime.internal.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which calls are over. */
@Timeout(60)
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
        assertThat(finished.contains(Long.MAX_VALUE)).isTrue();
        finished.add(Long.MAX_VALUE - 1);
        finished.addBelow(Long.MAX_VALUE);
        assertThat(finished.contains(1)).isTrue();
    }

    /** A frame of 64 KB has 8,000 numbers; one that cleared the window for each took seconds. */
    @Test
    void aNumberTakesTheSameTimeWhereverItLies() {
        int n = 1_000_000;
        for (long i = 1; i <= n; i++) {
            finished.add(i * (WINDOW - 1));
        }
        assertThat(finished.contains((long) n * (WINDOW - 1))).isTrue();
        assertThat(finished.contains((long) n * (WINDOW - 1) - 1)).isFalse();
        assertThat(finished.contains((n - 2L) * (WINDOW - 1) + 1)).isTrue();
    }

    @Test
    void aNumberTakesMemoryForItselfAlone() {
        finished.add(WINDOW - 1);
        assertThat(finished.bytes()).isEqualTo(Finished.WORD);
        for (int i = 0; i < WINDOW; i++) {
            finished.add(i);
        }
        assertThat(finished.bytes()).isEqualTo((long) Finished.WORD * WINDOW / 64);
        finished.addBelow(WINDOW);
        assertThat(finished.bytes()).isZero();
    }

    @Test
    void aWindowThatIsTooLargeNarrows() {
        for (long i = 0; i < 100; i++) {
            finished.add(64 * i + 5);
        }
        finished.narrow(10 * Finished.WORD);
        assertThat(finished.bytes()).isEqualTo(10 * Finished.WORD);
        assertThat(finished.contains(64 * 90 - 1)).as("behind the window").isTrue();
        assertThat(finished.contains(64 * 90)).isFalse();
        assertThat(finished.contains(64 * 90 + 5)).isTrue();
        finished.add(Long.MAX_VALUE);
        finished.narrow(0);
        assertThat(finished.contains(Long.MAX_VALUE)).isTrue();
        assertThat(finished.contains(Long.MAX_VALUE - 1)).isFalse();
    }
}
