package io.psf.api.array;

import java.io.Serializable;
import java.util.Objects;

/**
 * The number formats of a tensor's values.
 *
 * @param storage the format on the servers; slots of optimizers are float32
 * @param isStochastic true if a stored value is rounded to one of its two neighbours at random, so that it is exact on
 *     average; false if it is rounded to the nearest
 * @param wire the format of the arrays that functions declare with {@link io.psf.api.layout.Wire} without a type of
 *     their own
 */
public record FloatTypes(FloatType storage, boolean isStochastic, FloatType wire) implements Serializable {
    /** Values are stored and sent as float32. */
    public static final FloatTypes FLOAT32 = new FloatTypes(FloatType.FLOAT32, false, FloatType.FLOAT32);

    public FloatTypes {
        Objects.requireNonNull(storage, "storage: null (expected: a type)");
        Objects.requireNonNull(wire, "wire: null (expected: a type)");
        if (storage == FloatType.INT8) {
            throw new IllegalArgumentException("storage: INT8 (expected: FLOAT32, FLOAT16 or BFLOAT16)");
        }
        if (isStochastic && !storage.isHalf()) {
            throw new IllegalArgumentException(
                    "stochastic rounding: with storage " + storage + " (expected: FLOAT16 or BFLOAT16)");
        }
    }

    /** Returns what differs from float32, each after a blank, for a declaration; empty if nothing does. */
    public String text() {
        return (storage == FloatType.FLOAT32 ? "" : " storage=" + storage)
                + (isStochastic ? " rounding=STOCHASTIC" : "")
                + (wire == FloatType.FLOAT32 ? "" : " wire=" + wire);
    }

    /** Returns the bytes of a stored value. */
    public int bytes() {
        return storage.isHalf() ? Short.BYTES : Float.BYTES;
    }
}
