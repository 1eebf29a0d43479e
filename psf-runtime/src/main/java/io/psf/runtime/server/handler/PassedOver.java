package io.psf.runtime.server.handler;

import io.psf.api.spi.HandlerProvider;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A handler that a class path has, in whose place another one handles.
 *
 * @param handler its class; the interface where it is the default body
 * @param origin the jar or folder that it came from; null if it came from neither
 * @param why not that one
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
