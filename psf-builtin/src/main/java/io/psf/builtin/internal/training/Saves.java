package io.psf.builtin.internal.training;

import io.psf.api.DeferredAnswer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The saves of a training loop, of which one is under way at a time. Used on the server's lane. */
final class Saves {
    private final Deque<WaitingSave> waiting = new ArrayDeque<>();
    private @Nullable Save now;
    private int failures;
    private String reason = "";

    private record Save(int worker, long number) {}

    private record WaitingSave(Save save, CompletableFuture<BeginSave.Response> answer) {}

    boolean isUnderWay() {
        return now != null;
    }

    void forgetFailures() {
        failures = 0;
        reason = "";
    }

    CompletionStage<BeginSave.Response> begin(int worker, long number, boolean waits) {
        CompletableFuture<BeginSave.Response> answer =
                new DeferredAnswer<>(() -> "save " + now + ": under way (expected: its end)");
        waiting.removeIf(each -> each.answer().isDone()); // given up
        if (now == null || waits) {
            waiting.add(new WaitingSave(new Save(worker, number), answer));
            next();
        } else {
            answer.complete(new BeginSave.Response(false, failures, reason));
        }
        return answer;
    }

    private void next() {
        while (now == null && !waiting.isEmpty()) {
            WaitingSave first = waiting.remove();
            now = first.save();
            if (!first.answer().complete(new BeginSave.Response(true, failures, reason))) {
                now = null; // given up
            }
        }
    }

    /** Records the end of a save. Returns the number of failures one after the other. */
    int end(long number, String failed) {
        if (now != null && now.number() == number) {
            failures = failed.isEmpty() ? 0 : failures + 1;
            reason = failed;
            now = null;
            next();
        }
        return failures;
    }

    /** Ends the saves of a worker that was lost: another one has its place now. */
    void forget(int worker) {
        waiting.removeIf(each -> each.save().worker() == worker);
        if (now != null && now.worker() == worker) {
            now = null;
            next();
        }
    }

    /** Ends the save of a worker that has left. */
    void retain(Set<Integer> present) {
        waiting.removeIf(each -> !present.contains(each.save().worker()));
        if (now != null && !present.contains(now.worker())) {
            end(now.number(), "worker " + now.worker() + ", which led the save, left or was lost");
        }
    }
}
