package io.psf.builtin.push;

import io.psf.api.array.FloatArray;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Writes and reads arrays of an open round, some elements at a time. */
final class FloatBytes {
    private static final int SOME = 1024;

    private FloatBytes() {}

    static void write(FloatArray values, DataOutputStream out) throws IOException {
        float[] some = new float[Math.min(SOME, values.length())];
        for (int at = 0; at < values.length(); at += some.length) {
            int n = Math.min(some.length, values.length() - at);
            values.copyTo(at, some, 0, n);
            for (int i = 0; i < n; i++) {
                out.writeInt(Float.floatToRawIntBits(some[i]));
            }
        }
    }

    /**
     * Reads elements.
     *
     * @param into [n] float32, receives them
     */
    static void read(DataInputStream in, FloatArray into) throws IOException {
        float[] some = new float[Math.min(SOME, into.length())];
        for (int at = 0; at < into.length(); at += some.length) {
            int n = Math.min(some.length, into.length() - at);
            for (int i = 0; i < n; i++) {
                some[i] = Float.intBitsToFloat(in.readInt());
            }
            into.copyFrom(at, some, 0, n);
        }
    }
}
