package io.psf.builtin.initializer;

import io.psf.api.PsInitializer;
import io.psf.api.array.FloatArray;

/**
 * The values of a worker's array, which are pushed after the shards were created; zeros until then.
 *
 * @param length the number of values
 * @param crc32c the checksum of the values, so that different arrays are different declarations
 */
@PsInitializer("psf.values")
public record Given(long length, long crc32c) implements Generator {
    @Override
    public float value(long element) {
        return 0;
    }

    @Override
    public void fill(FloatArray values, long firstElement) {
        values.fill(0);
    }
}
