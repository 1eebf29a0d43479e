package io.psf.builtin.initializer;

import io.psf.api.array.FloatArray;

/** Every element is {@code value}. */
record Constant(double value) implements Generator {
    @Override
    public float value(long element) {
        return (float) value;
    }

    @Override
    public void fill(FloatArray values, long firstElement) {
        values.fill((float) value);
    }
}
