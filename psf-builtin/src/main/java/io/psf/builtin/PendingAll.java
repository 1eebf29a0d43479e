package io.psf.builtin;

import io.psf.api.Pending;
import io.psf.api.PsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Several calls in flight, as one. Ends when all of them have ended. */
public record PendingAll(List<? extends Pending<?>> calls) implements Pending<List<Object>> {
    /**
     * Sends several calls. A call that cannot be sent counts as failed; the others are sent all the same.
     *
     * @throws PsException with {@code ROLLED_BACK} if the model goes back to a checkpoint
     */
    public static PendingAll of(int calls, IntFunction<Pending<?>> send) {
        List<Pending<?>> sent = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            try {
                sent.add(send.apply(i));
            } catch (PsException e) {
                if (e.code() == PsException.Code.ROLLED_BACK) {
                    throw e; // nobody may await these calls, and no other one is told
                }
                sent.add(new Failed(e));
            }
        }
        return new PendingAll(sent);
    }

    /** A call that has failed before it was sent. */
    private record Failed(PsException failure) implements Pending<Object> {
        @Override
        public Object await() {
            throw failure;
        }

        @Override
        public Object await(Duration limit) {
            throw failure;
        }

        @Override
        public boolean isDone() {
            return true;
        }

        @Override
        public boolean cancel() {
            return false;
        }

        @Override
        public CompletableFuture<Object> toCompletableFuture() {
            return CompletableFuture.failedFuture(failure);
        }
    }

    @Override
    public List<Object> await() {
        return each(Pending::await);
    }

    @Override
    public List<Object> await(Duration limit) {
        long until = System.nanoTime() + limit.toNanos();
        return each(call -> call.await(Duration.ofNanos(Math.max(0, until - System.nanoTime()))));
    }

    private interface Await {
        Object on(Pending<?> call);
    }

    /** Waits for all calls, also if one fails: their arrays are borrowed until then. */
    private List<Object> each(Await await) {
        List<Object> answers = new ArrayList<>();
        PsException failure = null;
        for (Pending<?> call : calls) {
            try {
                answers.add(await.on(call));
            } catch (PsException e) {
                failure = first(failure, e);
            }
        }
        if (failure != null) {
            throw failure;
        }
        return answers;
    }

    private static PsException first(@Nullable PsException earlier, PsException e) {
        return earlier == null ? e : earlier;
    }

    @Override
    public boolean isDone() {
        return calls.stream().allMatch(Pending::isDone);
    }

    @Override
    public boolean cancel() {
        boolean any = false;
        for (Pending<?> call : calls) {
            any |= call.cancel();
        }
        return any;
    }

    @Override
    public CompletableFuture<List<Object>> toCompletableFuture() {
        List<? extends CompletableFuture<?>> futures =
                calls.stream().map(Pending::toCompletableFuture).toList();
        CompletableFuture<List<Object>> all = CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
                .thenApply(done ->
                        futures.stream().<Object>map(CompletableFuture::join).toList());
        var unused = all.whenComplete((answers, failure) -> {
            if (all.isCancelled()) {
                cancel();
            }
        });
        return all;
    }
}
