package io.psf.api.spi;

/**
 * Found on a server's class path by {@link java.util.ServiceLoader}: brings one handler. Generated for each {@code
 * PsHandler} class and for each function with a {@code default} body.
 */
public interface HandlerProvider {
    /** The function, known without the handler's class. */
    Function<?, ?> function();

    /** The name of the handler's class; of the function's interface where its {@code default} body handles. */
    String handler();

    /**
     * The function and a new handler of it.
     *
     * @throws LinkageError if the handler's class cannot be loaded on this node
     */
    Binding<?, ?> binding();

    /** Which of a function's handlers is tried first: the one of the highest preference. */
    default int preference() {
        return 0;
    }

    /** Whether the handler is the function's own {@code default} body, which any other handler replaces. */
    default boolean isDefault() {
        return false;
    }
}
