package io.psf.builtin.initializer;

import io.psf.api.PsInitializer;
import io.psf.api.array.FloatArray;

/** Every element is {@code value}. */
@PsInitializer("psf.constant")
public record Constant(float value) implements Generator {
    /** Checks the arguments. */
    public Constant {
        DistributionChecks.finite("value", value);
    }

    @Override
    public float value(long element) {
        return value;
    }

    @Override
    public void fill(FloatArray values, long firstElement) {
        values.fill(value);
    }
}
