package io.psf.processor.emit;

import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.ProviderModel;

/**
 * Generates Python: a module with a typed function, for editors and mypy. The package {@code psf} of Python, which the
 * module calls, writes the same module from the function's schema ({@code psf.stubs}).
 */
public final class PythonEmitter implements Emitter {
    /** Creates an emitter, which has no state. */
    public PythonEmitter() {}

    /** Writes the module of a function, and the package that it is in. The names of the sources are paths. */
    @Override
    public void function(FunctionModel model, Output out) {
        PythonStub stub = new PythonStub(model);
        out.write(new Source(stub.folder() + "/__init__.py", stub.packageText()));
        out.write(new Source(stub.folder() + "/" + stub.module() + ".py", stub.text()));
    }

    /** Writes nothing: the module of the last compilation without a problem stays. */
    @Override
    public void skeleton(FunctionModel model, Output out) {}

    /** Writes nothing: servers are Java. */
    @Override
    public void provider(ProviderModel model, Output out) {}
}
