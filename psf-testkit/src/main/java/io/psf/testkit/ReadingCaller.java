package io.psf.testkit;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.api.spi.ReadOnly;
import org.jspecify.annotations.Nullable;

/**
 * The caller of a read-only function's handler, which calls read-only functions alone.
 *
 * @param reading the function that is handled
 * @param caller makes the calls
 */
record ReadingCaller(String reading, Caller caller) implements FunctionCaller {
    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        if (!function.info().readOnly()) {
            throw ReadOnly.violated(reading, "call of \"" + function.info().name() + "\"");
        }
        return FunctionCaller.of(caller).call(function, request, into, options);
    }
}
