package io.psf.runtime;

import io.psf.api.spi.ServiceClassPath;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** The listeners and interceptors on the class path of a node. */
final class Listeners {
    private Listeners() {}

    /** Returns the services of a type on the class path. */
    static <T> List<T> found(Class<T> type) {
        List<T> found = new ArrayList<>();
        ServiceLoader.load(type, ServiceClassPath.of(Listeners.class)).forEach(found::add);
        return found;
    }
}
