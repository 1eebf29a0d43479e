package io.psf.runtime.call;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorLayout;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Repeats a call that was split by layouts that turned out to be out of date, with fresh layouts: until the repetition
 * succeeds or has another error, or the call ends. The call itself stays outstanding meanwhile. Each repetition is a
 * call of its own, with the deadline of the first. Thread-safe.
 */
final class Retry<R> {
    private static final long FIRST_PAUSE_MILLIS = 1;
    private static final long LONGEST_PAUSE_MILLIS = 100;

    private final Client client;
    private final Executor executor;
    private final Layouts layouts;
    private final Call<R> call;
    private final PartErrors errors;
    private final List<TensorLayout> before;
    private long pause = FIRST_PAUSE_MILLIS;
    private volatile @Nullable Call<R> repetition;
    private volatile boolean cancelled;

    private Retry(Call<R> call, Client client, Layouts layouts, Executor executor, PartErrors errors) {
        this.client = client;
        this.executor = executor;
        this.layouts = layouts;
        this.call = call;
        this.errors = errors;
        this.before = call.parts().layouts();
    }

    /**
     * Returns the repetition of a call, all of whose parts have been answered. Returns null if the call cannot be
     * repeated: its layouts are not out of date, or one of its parts has run that would change something twice.
     */
    static <R> @Nullable Retry<R> of(Call<R> call, Client client, PartErrors errors) {
        Executor executor = call.limits().repeats();
        Layouts layouts = client.layouts();
        boolean harmless = errors.count() == call.parts().count() || call.info().readOnly();
        if (executor == null || layouts == null || call.chain() != null || !errors.isStale() || !harmless) {
            return null;
        }
        Retry<R> retry = new Retry<>(call, client, layouts, executor, errors);
        errors.retryWith(retry);
        return retry;
    }

    /** Requests the layouts again, and then sends the call again. Does not block. */
    void start() {
        List<CompletableFuture<TensorLayout>> fresh = before.stream()
                .map(layout -> layouts.refresh(layout.info().id()))
                .toList();
        CompletableFuture.allOf(fresh.toArray(CompletableFuture[]::new))
                .thenApply(all -> fresh.stream().map(CompletableFuture::join).toList())
                .thenComposeAsync(this::prepare, executor) // it reads the request
                .whenCompleteAsync(this::send, executor);
    }

    private CompletableFuture<Call<R>> prepare(List<TensorLayout> now) {
        Object request = call.request();
        if (request == null) {
            throw new PsException(Code.CANCELLED, "the call has ended");
        }
        if (!errors.isCertainlyStale() && now.equals(before)) { // the tensor is neither where it was nor anywhere else
            throw errors.together();
        }
        long left = Math.max(1, call.deadline() - System.nanoTime());
        CallLimits limits = new CallLimits(left, call.limits().priority(), true, null);
        return layouts.prepare(call.function(), request, call.into(), limits);
    }

    private void send(@Nullable Call<R> prepared, @Nullable Throwable failure) {
        if (prepared == null) { // for example, the request does not fit the shape that the tensor has now
            call.failAtOnce(-1, known(failure));
            return;
        }
        repetition = prepared;
        if (cancelled) {
            return;
        }
        client.send(prepared);
        if (prepared.isEnded()) { // it may have been cancelled before it was sent
            client.ended(prepared, Code.CANCELLED);
        }
        prepared.toCompletableFuture().whenComplete(this::ended);
    }

    private void ended(@Nullable R result, @Nullable Throwable failure) {
        if (result != null) {
            call.repeated(result);
        } else if (known(failure).code() == Code.STALE_LAYOUT) {
            CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS, executor)
                    .execute(this::start);
            pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
        } else {
            call.failAtOnce(-1, known(failure));
        }
    }

    /** Cancels the repetition, since the call has ended. Afterwards nothing is written to the caller's arrays. */
    void cancel() {
        cancelled = true;
        Call<R> sent = repetition;
        if (sent != null) {
            sent.cancel();
        }
    }

    private static PsException known(@Nullable Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof PsException known
                ? known
                : new PsException(Code.INTERNAL, "repeating the call: " + cause, cause);
    }
}
