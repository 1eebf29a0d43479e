package io.psf.runtime.internal.server.handler;

import io.psf.api.spi.HandlerProvider;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A handler on the class path that was not chosen.
 *
 * @param handler its class; the function's interface if it is the default body
 * @param origin the jar or folder of the handler; null if it was loaded from neither
 * @param why the reason why it was not chosen
 */
public record PassedOver(String handler, @Nullable Path origin, String why) {
    static PassedOver of(HandlerProvider provider, String why) {
        return new PassedOver(provider.handler(), ClassPath.origin(provider.getClass()), why);
    }

    @Override
    public String toString() {
        return handler + (origin == null ? "" : " in " + ClassPath.name(origin)) + " (" + why + ")";
    }
}
