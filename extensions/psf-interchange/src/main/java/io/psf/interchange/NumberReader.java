package io.psf.interchange;

import java.io.Closeable;
import java.io.IOException;

/** Reads the numbers of an array or of a column in turn. Not thread-safe. */
interface NumberReader extends Closeable {
    /** Reads the next n numbers as float32. */
    float[] floats(int n) throws IOException;

    /** Reads the next n keys. */
    long[] longs(int n) throws IOException;
}
