package io.psf.processor.model;

/**
 * What brings a handler to a server's class path.
 *
 * @param handler the handler's class, or the interface itself where a default body answers
 * @param function the function's interface
 * @param fallback whether it is the interface's default body
 * @param preference the highest is tried first
 */
public record ProviderModel(ClassRef handler, ClassRef function, boolean fallback, int preference) {
    /** The class that is generated. */
    public ClassRef generated() {
        return handler.beside("PsfProvider");
    }
}
