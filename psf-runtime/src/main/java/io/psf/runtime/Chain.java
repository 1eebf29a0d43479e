package io.psf.runtime;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.runtime.internal.call.Call;
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
 * chain is not repeated if a tensor was created again ({@code STALE_LAYOUT}): the next one uses the new location. Not
 * thread-safe.
 */
public final class Chain implements FunctionCaller {
    private final ConnectedCaller worker;
    private final List<Call<?>> calls = new ArrayList<>();
    private boolean sent;

    Chain(ConnectedCaller worker) {
        this.worker = worker;
    }

    /**
     * Adds a call. Its answer cannot be awaited before {@link #send}.
     *
     * @throws PsException with {@code BAD_REQUEST} if the call goes to other slices or nodes than the calls before it
     */
    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        requireUnsent();
        Call<R> call = worker.prepare(function, request, into, options);
        if (!calls.isEmpty() && !call.isPlacedAs(calls.get(0))) {
            throw new PsException(
                            Code.BAD_REQUEST,
                            "chain: the slices or nodes of \"" + function.info().name() + "\" differ from those of \""
                                    + calls.get(0).info().name() + "\", its first call (expected: the same tensor,"
                                    + " tensors beside each other, or the same nodes)")
                    .at(function.info().name(), null, null, null);
        }
        call.hold();
        calls.add(call);
        return call;
    }

    /** Sends the calls. No call can be added afterwards. */
    public void send() {
        requireUnsent();
        sent = true;
        worker.startTogether(calls);
    }

    private void requireUnsent() {
        if (sent) {
            throw new IllegalStateException("chain: sent already (expected: a new chain for further calls)");
        }
    }
}
