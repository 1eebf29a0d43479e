package io.psf.builtin.initializer;

import io.psf.api.array.FloatArray;

/** Every element is {@code value}. */
public record Constant(float value) implements Generator {
    @Override
    public float value(long element) {
        return value;
    }

    @Override
    public void fill(FloatArray values, long firstElement) {
        values.fill(value);
    }
}
