package io.psf.processor.model;

import java.util.Optional;

/**
 * A provider, by which a server finds a handler on its class path.
 *
 * @param handler the handler's class, or the interface itself if its default body is the handler
 * @param function the function's interface
 * @param fallback true if the handler is the interface's default body
 * @param own the handler's own method; empty if the handler implements the function's interface
 * @param preference the handler's preference; the highest is tried first
 */
public record ProviderModel(
        ClassRef handler, ClassRef function, boolean fallback, Optional<OwnHandle> own, int preference) {
    /** Returns the generated class. */
    public ClassRef generated() {
        return handler.beside("PsfProvider");
    }
}
