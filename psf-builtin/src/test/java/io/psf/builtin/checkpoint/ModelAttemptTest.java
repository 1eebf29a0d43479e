package io.psf.builtin.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.DeferredAnswer;
import io.psf.api.PsException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A save of two workers, of which one may take no part. */
final class ModelAttemptTest {
    /** What runs after the time in which the loss of a worker is heard. */
    private final List<Runnable> late = new ArrayList<>();

    private final ModelAttempt attempt = new ModelAttempt(7, new HashSet<>(Set.of(0, 1)), late::add);

    private CompletableFuture<LeadModel.Response> lead(int worker, Integer... present) {
        return attempt.lead(worker, "m", Set.of(present)).toCompletableFuture();
    }

    private static String waitsFor(CompletableFuture<LeadModel.Response> answer) {
        assertThat(answer).isNotDone();
        return ((DeferredAnswer<?>) answer).waitsFor();
    }

    @Test
    void aPresentWorkerThatTakesNoPartFailsTheAttempt() {
        attempt.join(0, "m", "save of step 3", List.of());
        CompletableFuture<LeadModel.Response> answer = lead(0, 0, 1);
        assertThat(waitsFor(answer))
                .isEqualTo("save of step 3 of model \"m\": workers [1] have not called it (expected: all present"
                        + " workers)");
        late.forEach(Runnable::run);
        assertThatThrownBy(answer::join)
                .hasCauseInstanceOf(PsException.class)
                .hasMessageContaining(
                        "BAD_REQUEST: save of step 3 of model \"m\": not called by workers [1], which passed"
                                + " the barrier with another call");
        assertThat(attempt.hasBegun()).isTrue(); // another save is another attempt
    }

    @Test
    void aWorkerThatHasLeftMeanwhileIsNotWaitedFor() {
        attempt.join(0, "m", "save of step 3", List.of());
        CompletableFuture<LeadModel.Response> answer = lead(0, 0, 1);
        attempt.retain(Set.of(0));
        assertThat(answer.join().leads()).isTrue();
        late.forEach(Runnable::run);
        assertThat(answer).isCompleted();
    }

    @Test
    void theOthersWaitForTheWorkerThatLeads() {
        attempt.join(0, "m", "save of step 3", List.of());
        attempt.join(1, "m", "save of step 3", List.of());
        assertThat(lead(1, 0, 1).join().leads()).isTrue();
        CompletableFuture<LeadModel.Response> other = lead(0, 0, 1);
        assertThat(waitsFor(other))
                .isEqualTo("save of step 3 of model \"m\": not finished by worker 1, which does it for all"
                        + " workers (expected: finished before the deadline)");
        attempt.finish(1, PsException.Code.OK, "", 3);
        assertThat(other.join()).isEqualTo(new LeadModel.Response(false, 3));
    }
}
