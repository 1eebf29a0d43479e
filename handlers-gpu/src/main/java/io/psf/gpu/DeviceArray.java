package io.psf.gpu;

import io.psf.api.array.ElementType;

/**
 * An array in the memory of a device.
 *
 * @param address the address of the first element, for kernels
 * @param length the number of elements
 * @param type the type of the elements
 */
public record DeviceArray(long address, long length, ElementType type) {
    /** Returns the length in bytes. */
    public long bytes() {
        return length * type.size();
    }

    /**
     * Returns a part of this array.
     *
     * @throws IndexOutOfBoundsException if the part is not within this array
     */
    public DeviceArray slice(long begin, long end) {
        if (begin < 0 || end < begin || end > length) {
            throw new IndexOutOfBoundsException(
                    "slice: [" + begin + ", " + end + ") (expected: within [0, " + length + "))");
        }
        return new DeviceArray(address + begin * type.size(), end - begin, type);
    }
}
