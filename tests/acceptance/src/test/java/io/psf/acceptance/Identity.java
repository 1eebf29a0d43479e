package io.psf.acceptance;

import io.psf.api.PsInitializer;
import io.psf.builtin.initializer.Generator;

/**
 * A user's own initial values: a multiple of the identity matrix.
 *
 * @param width the number of floats in a row
 * @param scale the values on the diagonal
 */
@PsInitializer("acceptance.identity")
public record Identity(int width, double scale) implements Generator {
    @Override
    public float value(long element) {
        return element / width == element % width ? (float) scale : 0;
    }
}
