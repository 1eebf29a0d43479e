package io.psf.gpu;

import io.psf.api.PsInitializer;
import io.psf.builtin.initializer.Generator;

/**
 * Initial values that no kernel has.
 *
 * @param step the difference of an element and the one before
 */
@PsInitializer("gpu.ramp")
public record Ramp(double step) implements Generator {
    @Override
    public float value(long element) {
        return (float) (step * Math.floorMod(element, 97));
    }
}
