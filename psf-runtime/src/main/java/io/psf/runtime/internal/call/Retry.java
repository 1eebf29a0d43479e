package io.psf.runtime.internal.call;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorLayout;
import io.psf.api.spi.Routing;
import io.psf.runtime.internal.call.PartErrors.Repetition;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Repeats what was refused of a call since its layouts were out of date, with fresh layouts, until it has an answer or
 * another error, or the call ends. The call itself stays outstanding meanwhile.
 *
 * <p>If nothing of the call has run, or its function changes nothing, the call starts over: it is split anew, as a call
 * of its own with the deadline of the first. If a part has run or may run, the refused parts alone are sent again. This
 * requires that the fresh layouts are of the same slices: only the servers and the version may differ. Otherwise the
 * call fails. Thread-safe.
 */
final class Retry<R> implements Repetition {
    private static final long FIRST_PAUSE_MILLIS = 1;
    private static final long LONGEST_PAUSE_MILLIS = 100;

    private final Call<R> call;
    private final PartErrors errors;
    private final Layouts layouts;
    private final Executor executor;
    private final Sending sending;
    /** True if the call is such a repetition: the call that it repeats starts over, not this one. */
    private final boolean isSecond;

    // Written by one thread after another: each round ends before the next one begins.
    private long pause;
    private volatile @Nullable Call<R> repetition;
    /** What the latest repetition was refused with; null before one was. */
    private @Nullable Refusal refusal;

    private volatile boolean cancelled;

    /**
     * Sends over the peers' channels.
     *
     * @param calls sends a call that has not been sent
     * @param parts sends the parts of a call that have still to be sent
     */
    record Sending(Consumer<Call<?>> calls, Consumer<Call<?>> parts) {}

    /**
     * The end of a repetition of which nothing has run.
     *
     * @param layouts by which it was split
     * @param isCertain true if a part was refused by its layout, and not only since the tensor was not there
     */
    private record Refusal(
            List<TensorLayout> layouts,
            boolean isCertain,
            @Nullable Throwable failure) {}

    private Retry(
            Call<R> call, PartErrors errors, Layouts layouts, Executor executor, Sending sending, boolean isSecond) {
        this.call = call;
        this.errors = errors;
        this.layouts = layouts;
        this.executor = executor;
        this.sending = sending;
        this.isSecond = isSecond;
    }

    /** Returns the repetition of a call, whose limits have an executor for it. */
    static <R> Retry<R> of(Call<R> call, PartErrors errors, Layouts layouts, Executor executor, Sending sending) {
        return new Retry<>(call, errors, layouts, executor, sending, false);
    }

    @Override
    public void start() {
        if (isSecond && mayStartOver()) {
            call.endWithErrors(); // then the first call starts over
        } else if (pause == 0) {
            pause = FIRST_PAUSE_MILLIS;
            refresh();
        } else {
            CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS, executor)
                    .execute(this::refresh);
            pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
        }
    }

    /** Requests the layouts again, and repeats what was refused by them. Does not block. */
    private void refresh() {
        try {
            requestLayouts();
        } catch (RuntimeException e) { // for example if the scheduler is lost
            failed(e);
        }
    }

    private void requestLayouts() {
        List<TensorLayout> first = call.parts().layouts();
        List<TensorLayout> before = refusal == null ? first : refusal.layouts();
        List<CompletableFuture<TensorLayout>> fresh = first.stream()
                .map(layout -> layouts.refresh(layout.info().id()))
                .toList();
        CompletableFuture.allOf(fresh.toArray(CompletableFuture[]::new))
                .thenApply(all -> fresh.stream().map(CompletableFuture::join).toList())
                .thenComposeAsync(now -> repeat(before, now), executor) // it reads the request
                .whenCompleteAsync((done, failure) -> failed(failure), executor);
    }

    private CompletionStage<?> repeat(List<TensorLayout> before, List<TensorLayout> now) {
        boolean over = mayStartOver(); // once: it may become true meanwhile, with the last answer
        boolean isCertain = refusal == null
                ? errors.isCertainlyStale() || call.parts().haveErrorsOfOtherLayouts()
                : refusal.isCertain();
        if (!isCertain && now.equals(before)) { // the tensor is neither where it was nor anywhere else
            end();
        } else if (over && !isSecond) {
            return startOver();
        } else if (over || !haveSameSlices(before, now)) {
            call.endWithErrors();
        } else {
            return sendAgain(now);
        }
        return CompletableFuture.completedFuture(null);
    }

    /** Ends the call with the errors of its latest attempt. */
    private void end() {
        if (refusal == null) {
            call.endWithErrors();
        } else {
            call.failAtOnce(-1, known(refusal.failure()));
        }
    }

    private static boolean haveSameSlices(List<TensorLayout> before, List<TensorLayout> now) {
        for (int i = 0; i < before.size(); i++) {
            if (!now.get(i).hasSlicesOf(before.get(i)) || !now.get(i).meets(now.get(0))) {
                return false;
            }
        }
        return true;
    }

    private boolean mayStartOver() {
        return errors.allowStartingOver(call.info().readOnly());
    }

    // The refused parts alone.

    private CompletionStage<?> sendAgain(List<TensorLayout> now) {
        Routing routing = call.parts().routing().at(now);
        return layouts.owners(routing.layout()).thenAcceptAsync(owners -> sendAgain(routing, owners), executor);
    }

    private void sendAgain(Routing routing, List<Peer> owners) {
        for (int part = 0; part < routing.parts(); part++) {
            owners.get(routing.layout().server(routing.slice(part))).require(call.info());
        }
        if (errors.point(routing, owners)) {
            sending.parts().accept(call);
        } else {
            call.endWithErrors();
        }
    }

    // The whole call.

    private CompletionStage<?> startOver() {
        Object request = call.request();
        if (request == null) {
            return CompletableFuture.completedFuture(null); // the call has ended
        }
        long left = Math.max(1, call.deadline() - System.nanoTime());
        CallLimits limits = new CallLimits(
                left, call.limits().priority(), true, null, call.limits().step());
        return layouts.prepare(call.function(), request, call.into(), limits)
                .thenAcceptAsync(this::startAgain, executor);
    }

    private void startAgain(Call<R> prepared) {
        Retry<R> second = prepared.repeatBy(errors -> new Retry<>(prepared, errors, layouts, executor, sending, true));
        repetition = prepared;
        if (cancelled) {
            return;
        }
        sending.calls().accept(prepared);
        prepared.toCompletableFuture().whenComplete((result, failure) -> ended(second, result, failure));
    }

    private void ended(Retry<R> second, @Nullable R result, @Nullable Throwable failure) {
        if (result != null) {
            call.repeated(result);
        } else if (second.mayStartOver()) { // the slices may be on their way again
            refusal = new Refusal(second.call.parts().layouts(), second.errors.isCertainlyStale(), failure);
            start();
        } else {
            call.failAtOnce(-1, known(failure));
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
        Call<R> sent = repetition;
        if (sent != null) {
            sent.cancel();
        }
    }

    /**
     * Ends the call if repeating has failed: for example, the request does not fit the shape that the tensor has now.
     */
    private void failed(@Nullable Throwable failure) {
        if (failure != null) {
            call.failAtOnce(-1, known(failure));
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
