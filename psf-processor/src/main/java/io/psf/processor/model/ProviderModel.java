package io.psf.processor.model;

/**
 * What brings a handler to a server's class path.
 *
 * @param handler the handler's class, or the interface itself where a default body answers
 * @param function the function's interface
 * @param fallback whether it is the interface's default body
 */
public record ProviderModel(ClassRef handler, ClassRef function, boolean fallback) {
    /** The class that is generated. */
    public ClassRef generated() {
        return handler.beside("PsfProvider");
    }
}
