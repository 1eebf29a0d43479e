package io.psf.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** The listeners and interceptors on the class path of a node. */
final class Listeners {
    private Listeners() {}

    /** Returns the services of a type that the thread's context class loader finds. */
    static <T> List<T> found(Class<T> type) {
        List<T> found = new ArrayList<>();
        ServiceLoader.load(type, Thread.currentThread().getContextClassLoader()).forEach(found::add);
        return found;
    }
}
