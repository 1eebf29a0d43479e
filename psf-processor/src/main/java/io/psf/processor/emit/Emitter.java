package io.psf.processor.emit;

import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.ProviderModel;

/** Generates the sources of functions and of providers in one language. */
public interface Emitter {
    /** Writes all sources of a function without problems. */
    void function(FunctionModel model, Output out);

    /**
     * Writes sources with the same signatures and bodies that throw, so that a problem of the function does not cause
     * further errors where it is called.
     */
    void skeleton(FunctionModel model, Output out);

    /** Writes the source of a provider. */
    void provider(ProviderModel model, Output out);
}
