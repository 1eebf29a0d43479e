package io.psf.runtime;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.runtime.internal.call.Call;
import io.psf.runtime.internal.call.TaskStep;
import io.psf.runtime.internal.call.TaskSteps;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch of calls that are sent together. Stubs are made of a chain as of a worker. Their calls are held until {@link
 * #send}, are sent to each slice in one message, and run there one after another, without another worker's calls in
 * between.
 *
 * <pre>{@code
 * Chain chain = worker.chain();
 * Pending<DensePush.Response> pushed = DensePushPsf.stub(chain).call(w, gradient);
 * Pending<DensePull.Response> pulled = DensePullPsf.stub(chain).call(w);
 * chain.send();
 * FloatArray values = pulled.await().values();
 * }</pre>
 *
 * <p>If a call fails or is cancelled, the calls behind it are not run on that slice and fail with {@code CANCELLED}. If
 * a handler answers a call later, other workers' calls may run in between; the calls behind it still wait for it. A
 * call that only reads runs again if its connection broke before it was answered: then it may see the later calls of
 * the chain. A chain is not repeated if a tensor was created again ({@code STALE_LAYOUT}): the next one uses the new
 * location. Not thread-safe.
 */
public final class Chain implements FunctionCaller {
    private final ConnectedCaller worker;
    private final List<Call<?>> calls = new ArrayList<>();
    /** Of a chain whose change is a step of a task; null for another chain. */
    private final @Nullable TaskSteps task;

    /** The step, and the call that it is; null until the chain has one. */
    private @Nullable TaskStep step;

    private @Nullable Call<?> change;
    private boolean sent;

    Chain(ConnectedCaller worker, @Nullable TaskSteps task) {
        this.worker = worker;
        this.task = task;
    }

    /**
     * Adds a call. Its answer cannot be awaited before {@link #send}.
     *
     * @throws PsException with {@code BAD_REQUEST} if the call goes to other slices or nodes than the calls before it;
     *     of a task, if it changes something and another call of the chain does
     */
    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        requireUnsent();
        Call<R> call = task != null && TaskCaller.isStep(function.info())
                ? prepareStep(task, function, request, into, options)
                : prepare(function, request, into, options, null);
        call.hold();
        calls.add(call);
        return call;
    }

    private <Q, R> Call<R> prepare(
            Function<Q, R> function, Q request, @Nullable R into, CallOptions options, @Nullable TaskStep step) {
        Call<R> call = worker.prepare(function, request, into, options, step);
        if (!calls.isEmpty() && !call.isPlacedAs(calls.get(0))) {
            throw new PsException(
                            Code.BAD_REQUEST,
                            "chain: the slices or nodes of \"" + function.info().name()
                                    + "\" differ from the slices or nodes of \""
                                    + calls.get(0).info().name() + "\", its first call (expected: the same tensor,"
                                    + " tensors beside each other, or the same nodes)")
                    .at(function.info().name(), null, null, null);
        }
        return call;
    }

    private <Q, R> Call<R> prepareStep(
            TaskSteps task, Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        if (step != null) {
            throw new PsException(
                            Code.BAD_REQUEST,
                            "chain of a task: \"" + function.info().name()
                                    + "\" is the second call that changes something (expected: one; use a chain for each)")
                    .at(function.info().name(), null, null, null);
        }
        TaskStep next = task.step();
        Call<R> call;
        try {
            call = prepare(function, request, into, options, next);
        } catch (PsException e) {
            task.skip(e);
            throw e;
        }
        step = next;
        change = call;
        return call;
    }

    /** Sends the calls. No call can be added afterwards. */
    public void send() {
        requireUnsent();
        sent = true;
        if (task != null && step != null && change != null) {
            task.send(change, step, () -> worker.startTogether(calls));
        } else {
            worker.startTogether(calls);
        }
    }

    private void requireUnsent() {
        if (sent) {
            throw new IllegalStateException("chain: sent already (expected: a new chain for further calls)");
        }
    }
}
