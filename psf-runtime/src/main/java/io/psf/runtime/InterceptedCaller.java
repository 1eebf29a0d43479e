package io.psf.runtime;

import io.psf.api.CallInterceptor;
import io.psf.api.Intercepted;
import io.psf.api.Pending;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Caller;
import io.psf.api.spi.Function;
import org.jspecify.annotations.Nullable;

/** A caller with an interceptor around it. */
record InterceptedCaller(Caller inner, CallInterceptor interceptor) implements Caller {
    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        Intercepted call = new Intercepted(function.info().name(), function.target(request), null, request);
        return interceptor.call(call, () -> inner.call(function, request, into, options));
    }
}
