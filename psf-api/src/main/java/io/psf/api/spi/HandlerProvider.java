package io.psf.api.spi;

/**
 * Provides one handler to a server. Found on the server's class path by {@link java.util.ServiceLoader}. Generated for
 * each {@code PsHandler} class and for each function with a {@code default} body.
 */
public interface HandlerProvider {
    /** Returns the function, without loading the handler's class. */
    Function<?, ?> function();

    /**
     * Returns the name of the handler's class, or of the function's interface if its {@code default} body is the
     * handler.
     */
    String handler();

    /**
     * Returns the function with a new handler.
     *
     * @throws LinkageError if the handler's class cannot be loaded on this node
     */
    Binding<?, ?> binding();

    /** Returns the handler's preference: of a function's handlers, the one of the highest preference is tried first. */
    default int preference() {
        return 0;
    }

    /** True if the handler is the function's own {@code default} body, which any other handler replaces. */
    default boolean isDefault() {
        return false;
    }
}
