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
     * the largest magnitude in the row, and 1e-45 more below 1e-36. A row with a value that is not finite becomes NaN
     * as a whole. Rows narrower than 8 values share the factor of 256 consecutive values, and become NaN together.
     */
    INT8;

    /** Narrower rows share a factor as {@link #INT8}. */
    private static final int NARROWEST = 8;

    private static final int WIDEST = 1 << 16;
    /** The values that share a factor unless a row is a block. */
    private static final int BLOCK = 256;

    /**
     * Returns the number of consecutive values that share a factor as {@link #INT8}.
     *
     * @param width the width of the rows; 0 if the values have no rows
     */
    public static int block(int width) {
        return width < NARROWEST || width > WIDEST ? BLOCK : width;
    }

    /** Returns the bytes of rows on the wire. */
    public long bytes(int rows, int width) {
        long values = (long) rows * width;
        return switch (this) {
            case FLOAT32 -> Float.BYTES * values;
            case FLOAT16, BFLOAT16 -> Short.BYTES * values;
            case INT8 -> values + Float.BYTES * ((values + block(width) - 1) / block(width));
        };
    }

    /** True if a value has 16 bits. */
    public boolean isHalf() {
        return this == FLOAT16 || this == BFLOAT16;
    }
}
