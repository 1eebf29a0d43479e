package io.psf.api.array;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The memory of an array whose values are converted when they are read: for callers that convert them elsewhere, such
 * as on a device.
 *
 * @param type FLOAT16, BFLOAT16 or INT8
 * @param values off-heap: 16 bits for each value, or an int8
 * @param factors of INT8: off-heap, a float32, little-endian, for each block of values; otherwise empty
 * @param block of INT8: the number of consecutive values that share a factor
 * @param first of INT8: the place of the first value in its block
 */
public record EncodedFloats(FloatType type, Buffer values, ByteBuffer factors, int block, int first) {
    /** Returns the memory of an array; null if its values are float32, or on the heap, or in another order. */
    public static @Nullable EncodedFloats of(FloatArray array) {
        if (array instanceof HalfFloats halves) {
            return halves.encoded();
        }
        return array instanceof ByteFloats bytes ? bytes.encoded() : null;
    }
}
