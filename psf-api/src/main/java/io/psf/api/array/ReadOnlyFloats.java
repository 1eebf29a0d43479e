package io.psf.api.array;

/** An array of float32 that can only be read. */
abstract sealed class ReadOnlyFloats extends ConvertedFloats permits ByteFloats, RowFloats {
    ReadOnlyFloats() {
        super(null, 0);
    }

    /** Returns the error of a write, which names this kind of array. */
    abstract UnsupportedOperationException readOnly();

    @Override
    public final void prefetchRows(int[] rows, int from, int n, int width) {
        // Answers alone are read-only, and are read in order.
    }

    @Override
    public final void copyRowsTo(int[] rows, int from, int n, int width, float[] target) {
        for (int i = 0; i < n; i++) {
            copyTo(rows[from + i] * width, target, i * width, width);
        }
    }

    @Override
    public final void set(int i, float value) {
        throw readOnly();
    }

    @Override
    public final void copyFrom(int at, float[] source, int begin, int n) {
        throw readOnly();
    }

    @Override
    public final void copyRowsFrom(int[] rows, int from, int n, int width, float[] source) {
        throw readOnly();
    }

    @Override
    public final void copyFrom(int at, SharedArray source) {
        throw readOnly();
    }

    @Override
    public final void copyRows(int to, SharedArray source, int from, int n, int width) {
        throw readOnly();
    }

    @Override
    public final void gather(SharedArray source, int[] rows, int begin, int end, int width) {
        throw readOnly();
    }

    @Override
    public final void scatter(SharedArray source, int[] rows, int begin, int end, int width) {
        throw readOnly();
    }
}
