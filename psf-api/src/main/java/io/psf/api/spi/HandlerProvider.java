package io.psf.api.spi;

/**
 * Found on a server's class path by {@link java.util.ServiceLoader}: brings one handler. Generated for each {@code
 * PsHandler} class and for each function with a {@code default} body.
 */
public interface HandlerProvider {
    /** The function and a new handler of it. */
    Binding<?, ?> binding();

    /** Whether the handler is the function's own {@code default} body, which any other handler replaces. */
    default boolean isDefault() {
        return false;
    }
}
