package io.psf.gpu.shard;

import io.psf.api.array.FloatType;

/**
 * Rows in the memory of a device.
 *
 * @param address the address of the first one
 * @param width values in a row
 * @param type the format of the values
 */
record Rows(long address, int width, FloatType type) {
    /** Returns the number of the format, as in psf.cu. */
    int storage() {
        return type.ordinal();
    }
}
