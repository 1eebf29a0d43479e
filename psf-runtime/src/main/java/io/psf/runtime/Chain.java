package io.psf.runtime;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Caller;
import io.psf.api.spi.Function;
import io.psf.runtime.call.Call;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls that travel together. Stubs are made of it as of a worker; their calls wait until {@link #send}, go to each slice
 * in one message, and are run there one after another with no other worker's in between.
 *
 * <pre>{@code
 * Chain chain = worker.chain();
 * Pending<DensePush.Response> pushed = DensePushPsf.stub(chain).call(w, gradient);
 * Pending<DensePull.Response> pulled = DensePullPsf.stub(chain).call(w);
 * chain.send();
 * FloatArray values = pulled.await().values();
 * }</pre>
 *
 * <p>Where a call fails or is given up, those behind it are not run on that slice and fail with {@code CANCELLED}. A call that answers
 * later lets other workers' calls in between; those behind it still wait for it. Not thread-safe.
 */
public final class Chain implements Caller {
    private final Worker worker;
    private final List<Call<?>> calls = new ArrayList<>();
    private boolean sent;

    Chain(Worker worker) {
        this.worker = worker;
    }

    /**
     * Adds a call; its answer cannot be awaited before {@link #send}.
     *
     * @throws PsException with {@code BAD_REQUEST} if it goes to other slices or nodes than those before it
     */
    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        requireUnsent();
        Call<R> call = worker.prepare(function, request, into, options);
        if (!calls.isEmpty() && !call.isPlacedAs(calls.get(0))) {
            throw new PsException(
                            Code.BAD_REQUEST,
                            "place: other slices or nodes than those of \""
                                    + calls.get(0).info().name()
                                    + "\" before it in the chain (expected: the same, as of tensors that lie beside each other)")
                    .at(function.info().name(), null, null, null);
        }
        call.hold();
        calls.add(call);
        return call;
    }

    /** Sends the calls; no more can be added. */
    public void send() {
        requireUnsent();
        sent = true;
        worker.sendTogether(calls);
    }

    private void requireUnsent() {
        if (sent) {
            throw new IllegalStateException("chain: sent already (expected: another one for more calls)");
        }
    }
}
