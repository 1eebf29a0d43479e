package io.psf.runtime.internal.server.invocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Range;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Which steps of which tasks a shard has run. */
final class StepsTest {
    private static final Range RANGE = new Range(10, 20);

    private final Steps steps = new Steps(RANGE);

    private static byte[] saved(Steps steps) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        steps.saveTotal(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private static Steps loaded(byte[] bytes, Range range) throws IOException {
        Steps loaded = new Steps(range);
        ByteArrayInputStream in = new ByteArrayInputStream(bytes);
        loaded.loadTotal(new DataInputStream(in));
        assertThat(in.available()).isZero();
        return loaded;
    }

    @Test
    void ofTheLast64StepsEachIsKnownAndAnEarlierOneCountsAsRun() {
        SplittableRandom random = new SplittableRandom(3);
        Set<Integer> run = new HashSet<>();
        int highest = 0;
        for (int i = 0; i < 20_000; i++) {
            int step = Math.max(1, highest - 70 + random.nextInt(random.nextInt(20) == 0 ? 300 : 80));
            boolean isKnown = step > highest - Steps.WINDOW;
            assertThat(steps.hasRun(7, step))
                    .as("step %d of %d", step, highest)
                    .isEqualTo(!isKnown || run.contains(step));
            steps.end(7, step, true);
            run.add(step);
            highest = Math.max(highest, step);
            assertThat(steps.hasRun(7, step)).isTrue();
            assertThat(steps.hasRun(7, highest + 1)).isFalse();
        }
        assertThat(steps.hasRun(8, 1)).isFalse();
        steps.end(9, Integer.MAX_VALUE, true);
        assertThat(steps.hasRun(9, Integer.MAX_VALUE)).isTrue();
        assertThat(steps.hasRun(9, Integer.MAX_VALUE - 1)).isFalse();
    }

    @Test
    void aFailedStepHasNotRunAndOneUnderWayIsShared() {
        CompletableFuture<String> answer = new CompletableFuture<>();
        steps.begin(-1, 3, answer);
        assertThat(steps.underWay(-1, 3)).isSameAs(answer);
        assertThat(steps.hasRun(-1, 3)).isFalse();
        steps.end(-1, 3, false);
        assertThat(steps.underWay(-1, 3)).isNull();
        assertThat(steps.hasRun(-1, 3)).isFalse();
    }

    @Test
    void theTasksThatWereUsedLastAreKept() {
        for (int task = 1; task <= Steps.MOST_TASKS; task++) {
            steps.end(task, 1, true);
        }
        assertThat(steps.bytes()).isBetween(1_000_000L, 2_000_000L);
        assertThat(steps.hasRun(1, 1)).as("and used again").isTrue();
        steps.end(1 << 20, 1, true);
        assertThat(steps.hasRun(1, 1)).isTrue();
        assertThat(steps.hasRun(2, 1)).isFalse();
        assertThat(steps.hasRun(3, 1)).isTrue();
    }

    @Test
    void ofAttemptsThatMayDifferTheFirstAloneIsAdmitted() throws IOException {
        assertThat(steps.admits(1, 5)).isTrue();
        assertThat(steps.admits(1, 6)).as("the same changes").isTrue();
        assertThat(steps.admits(1, 0)).as("an attempt of another language").isTrue();
        assertThat(steps.admits(1, -7)).isFalse();
        assertThat(steps.admits(1, 6))
                .as("it may have the rows of the one that was refused")
                .isFalse();
        assertThat(steps.admits(1, 5)).isTrue();
        assertThat(steps.admits(1, -5)).isTrue();

        assertThat(steps.admits(2, -8)).isTrue();
        assertThat(steps.admits(2, 9)).isFalse();
        steps.end(2, 1, true);
        Steps same = loaded(saved(steps), RANGE);
        assertThat(same.admits(2, 9)).isFalse();
        assertThat(same.admits(2, -8)).isTrue();
        assertThat(same.hasRun(2, 1)).isTrue();
        assertThat(same.admits(1, 6)).isFalse();

        assertThat(steps.admits(3, 0)).isTrue();
        assertThat(steps.admits(3, -9)).isFalse();
    }

    @Test
    void aShardOfTheSameRangeLoadsTheStepsInTheOrderOfTheirUse() throws IOException {
        assertThat(saved(steps)).isEmpty();
        for (int task = 1; task <= Steps.MOST_TASKS; task++) {
            steps.end(task, 5, true);
        }
        steps.end(1, 3, true);
        Steps same = loaded(saved(steps), RANGE);
        assertThat(same.hasRun(1, 3)).isTrue();
        assertThat(same.hasRun(1, 4)).isFalse();
        assertThat(same.hasRun(1, 5)).isTrue();
        same.end(1 << 20, 1, true);
        assertThat(same.hasRun(2, 5)).as("the one that was used first").isFalse();
        assertThat(same.hasRun(3, 5)).isTrue();
        Steps other = loaded(saved(steps), new Range(10, 21));
        assertThat(other.hasRun(1, 5)).isFalse();
        assertThat(other.bytes()).isZero();
    }
}
