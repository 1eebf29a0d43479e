package io.psf.interchange;

import java.util.List;

/**
 * An array in a file.
 *
 * @param name the array's name; empty in a npy file
 * @param type the type of its elements, as the file names it, such as {@code F32} or {@code <f4}
 * @param shape its dimensions, the outermost first
 */
public record ArrayInfo(String name, String type, List<Long> shape) {
    public ArrayInfo {
        shape = List.copyOf(shape);
    }

    /**
     * Returns the number of elements.
     *
     * @throws IllegalArgumentException if it is above 2^63 - 1
     */
    long elements() {
        if (shape.contains(0L)) {
            return 0;
        }
        try {
            return shape.stream().reduce(1L, Math::multiplyExact);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "shape of array \"" + name + "\": " + shape + " (expected: at most 2^63 - 1 elements)", e);
        }
    }
}
