package io.psf.runtime;

import io.psf.api.CallInterceptor;
import io.psf.api.Intercepted;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A caller that passes each call through an interceptor. */
record InterceptedCaller(FunctionCaller inner, CallInterceptor interceptor) implements FunctionCaller {
    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        TensorId tensor = function.target(request);
        Intercepted call = new Intercepted(function.info().name(), tensor, null, request);
        Sent<R> sent = new Sent<>(() -> inner.call(function, request, into, options));
        Throwable thrown = null;
        Pending<R> pending = null;
        try {
            pending = interceptor.call(call, sent);
        } catch (Throwable e) { // the caller's own code
            thrown = e;
        }
        if (pending != null) {
            return pending;
        }
        sent.giveUp();
        if (thrown instanceof RuntimeException known && (known instanceof PsException || known == sent.refused)) {
            throw known;
        }
        throw new PsException(
                        PsException.Code.CALLER_FAILED,
                        "interceptor " + interceptor.getClass().getName()
                                + (thrown == null ? ": null (expected: a pending answer)" : " threw " + thrown),
                        thrown)
                .at(function.info().name(), tensor == null ? null : tensor.name(), null, null);
    }

    /** Sends the call and stores it, so that it can be cancelled: no thread awaits it if its interceptor fails. */
    private static final class Sent<R> implements Supplier<Pending<R>> {
        private final Supplier<Pending<R>> next;
        private @Nullable Pending<R> latest;
        private @Nullable RuntimeException refused;

        Sent(Supplier<Pending<R>> next) {
            this.next = next;
        }

        @Override
        public Pending<R> get() {
            try {
                Pending<R> sent = next.get();
                latest = sent;
                return sent;
            } catch (RuntimeException e) {
                refused = e;
                throw e;
            }
        }

        void giveUp() {
            if (latest != null) {
                latest.cancel();
            }
        }
    }
}
