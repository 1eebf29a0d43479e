package io.psf.api.array;

/** A number format in which float32 values are stored or sent. Arithmetic is in float32 in any case. */
public enum FloatType {
    /** IEEE 754 binary32: values are unchanged. */
    FLOAT32,
    /**
     * IEEE 754 binary16: 11 significant bits. The relative error is at most 2^-11 from 6.1e-5 to 65504, the absolute
     * error at most 2^-25 below. Values from 65520 on become infinite.
     */
    FLOAT16,
    /** The upper half of a float32: 8 significant bits. The relative error is at most 2^-8, at any magnitude. */
    BFLOAT16,
    /**
     * Integers from -127 to 127, times a float32 factor for each row: on the wire only. The error is at most 1/254 of
     * the largest magnitude in the row. A row with a value that is not finite becomes NaN. Rows narrower than 8 values share the factor of 256 consecutive values.
     */
    INT8;

    /** True if a value has 16 bits. */
    public boolean isHalf() {
        return this == FLOAT16 || this == BFLOAT16;
    }
}
