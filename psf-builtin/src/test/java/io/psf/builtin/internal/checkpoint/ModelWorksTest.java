package io.psf.builtin.internal.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.testkit.TestCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Saves and loads of a model take turns. */
class ModelWorksTest {
    private final ModelWorks works = ModelWorks.of(TestCluster.of(1, 0).server(0));
    private final List<String> begun = new ArrayList<>();

    private CompletableFuture<Integer> add(
            String model, String name, boolean isWanted, CompletableFuture<Integer> work) {
        return works.add(model, () -> isWanted, () -> {
            begun.add(name);
            return work;
        });
    }

    @Test
    void oneWorkOfAModelIsUnderWayAtATime() {
        CompletableFuture<Integer> first = new CompletableFuture<>();
        CompletableFuture<Integer> second = new CompletableFuture<>();
        CompletableFuture<Integer> firstDone = add("m", "first", true, first);
        CompletableFuture<Integer> secondDone = add("m", "second", true, second);
        CompletableFuture<Integer> other = add("other", "other", true, CompletableFuture.completedFuture(3));
        assertThat(other.join()).isEqualTo(3);
        assertThat(works.isBusy("other")).isFalse();
        assertThat(begun).containsExactly("first", "other");
        first.completeExceptionally(new IllegalStateException("full"));
        assertThatThrownBy(firstDone::join).hasMessageContaining("full");
        assertThat(begun).containsExactly("first", "other", "second");
        assertThat(works.isBusy("m")).isTrue();
        second.complete(2);
        assertThat(secondDone.join()).isEqualTo(2);
        assertThat(works.isBusy("m")).isFalse();
    }

    @Test
    void workThatNobodyWaitsForIsNotBegun() {
        CompletableFuture<Integer> first = new CompletableFuture<>();
        CompletableFuture<Integer> unused = add("m", "first", true, first);
        CompletableFuture<Integer> givenUp = add("m", "given up", false, new CompletableFuture<>());
        CompletableFuture<Integer> third = add("m", "third", true, CompletableFuture.completedFuture(3));
        first.complete(1);
        assertThatThrownBy(givenUp::join).hasMessageContaining("CANCELLED: work on model \"m\": nobody waits for it");
        assertThat(third.join()).isEqualTo(3);
        assertThat(begun).containsExactly("first", "third");
    }

    @Test
    void manyThatAreGivenUpEndInALoop() {
        CompletableFuture<Integer> first = new CompletableFuture<>();
        CompletableFuture<Integer> unused = add("m", "first", true, first);
        for (int i = 0; i < 100_000; i++) {
            unused = add("m", "given up", false, first);
        }
        CompletableFuture<Integer> last = add("m", "last", true, CompletableFuture.completedFuture(2));
        CompletableFuture<Integer> follower =
                last.thenCompose(done -> add("m", "follower", true, CompletableFuture.completedFuture(3)));
        first.complete(1);
        assertThat(follower.join()).isEqualTo(3);
        assertThat(begun).containsExactly("first", "last", "follower");
        assertThat(works.isBusy("m")).isFalse();
    }

    @Test
    void damagedStepsAreBounded() {
        for (int i = 0; i < ModelWorks.MOST_SKIPPED; i++) {
            works.skip("m" + i, 1);
        }
        assertThatThrownBy(() -> works.skip("one more", 1))
                .hasMessageContaining("RESOURCE_EXHAUSTED: models with damaged steps, with \"one more\": 1025");
        for (int i = 2; i <= SkippedSteps.MOST; i++) {
            works.skip("m0", i);
        }
        assertThatThrownBy(() -> works.skip("m0", 5000))
                .hasMessageContaining("RESOURCE_EXHAUSTED: damaged steps of model \"m0\", with 5000: 1025");
    }
}
