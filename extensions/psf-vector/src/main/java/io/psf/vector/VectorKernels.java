package io.psf.vector;

import io.psf.api.array.FloatArray;
import io.psf.builtin.optimizer.Kernel;
import io.psf.builtin.optimizer.KernelProvider;
import io.psf.builtin.optimizer.SpanKernel;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Kernels over off-heap memory, with the Vector API. The constructor fails if this JVM does not have it, or has a
 * Vector API that accesses memory off the heap through a preview feature.
 */
public final class VectorKernels implements KernelProvider {
    /**
     * Loads and stores one vector as a test. Throws {@link LinkageError} if the module is missing, or belongs to JDK 19
     * to 21.
     */
    public VectorKernels() {
        int bytes = Floats.SPECIES.vectorByteSize();
        Floats probe = Floats.of(FloatArray.view(ByteBuffer.allocateDirect(bytes)));
        if (probe != null) {
            probe.store(0, probe.load(0));
        }
    }

    @Override
    public boolean warmUp(Kernel kernel) {
        return new WarmUp(kernel).isCompiled();
    }

    @Override
    public @Nullable SpanKernel bind(Kernel kernel, FloatArray w, FloatArray g, FloatArray[] state) {
        Floats weights = Floats.of(w);
        Floats gradient = Floats.of(g);
        if (weights == null || gradient == null) {
            return null;
        }
        Floats[] states = new Floats[state.length];
        for (int s = 0; s < state.length; s++) {
            Floats floats = Floats.of(state[s]);
            if (floats == null) {
                return null;
            }
            states[s] = floats;
        }
        return Formulas.of(kernel, weights, gradient, states);
    }

    @Override
    public boolean stepsRows(int width) {
        return width % Floats.SPECIES.length() == 0;
    }

    @Override
    public String toString() {
        return "vectors of " + Floats.SPECIES.vectorBitSize() + " bits";
    }
}
