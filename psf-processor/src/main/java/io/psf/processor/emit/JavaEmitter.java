package io.psf.processor.emit;

import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.NamedModel;
import io.psf.processor.model.ProviderModel;
import java.util.Optional;

/**
 * Generates Java: {@code XPsf} for a function {@code X}, and {@code YPsfProvider} for a handler, an optimizer or an
 * initializer {@code Y}.
 */
public final class JavaEmitter implements Emitter {
    /** Creates an emitter, which has no state. */
    public JavaEmitter() {}

    @Override
    public void function(FunctionModel model, Output out) {
        out.write(FunctionEmitter.emit(model));
        if (model.hasDefaultBody()) {
            provider(new ProviderModel(model.type(), model.type(), true, Optional.empty(), 0), out);
        }
    }

    @Override
    public void skeleton(FunctionModel model, Output out) {
        out.write(FunctionEmitter.emitSkeleton(model));
    }

    /** Writes the source of the provider of an optimizer or an initializer. */
    public void named(NamedModel model, Output out) {
        out.write(NamedEmitter.emit(model));
    }

    @Override
    public void provider(ProviderModel model, Output out) {
        out.write(ProviderEmitter.emit(model));
    }
}
