package io.psf.gpu.shard;

import io.psf.api.Range;
import java.util.Arrays;

/** The arguments of a launch: the bits of each, and its type as in a signature of {@link Kernels}. */
final class LaunchArguments {
    private final StringBuilder types = new StringBuilder();
    private long[] bits = new long[32];

    /** Adds an address of the device. */
    LaunchArguments pointer(long address) {
        return add('p', address);
    }

    LaunchArguments i32(int value) {
        return add('i', value);
    }

    LaunchArguments i64(long value) {
        return add('l', value);
    }

    LaunchArguments f32(float value) {
        return add('f', Float.floatToRawIntBits(value));
    }

    LaunchArguments f64(double value) {
        return add('d', Double.doubleToRawLongBits(value));
    }

    LaunchArguments range(Range range) {
        return i64(range.begin()).i64(range.end());
    }

    LaunchArguments index(Index index) {
        return pointer(index.entries()).i64(index.mask());
    }

    /** Adds the width of rows and the format of their values. */
    LaunchArguments rows(Rows of) {
        return i32(of.width()).i32(of.storage());
    }

    LaunchArguments claims(Claims claims) {
        return pointer(claims.table()).i32(claims.mask());
    }

    LaunchArguments generator(Generators g) {
        return i32(g.kind()).f64(g.a()).f64(g.b()).i64(g.seed()).f32(g.least()).f32(g.greatest());
    }

    private LaunchArguments add(char type, long value) {
        int n = types.length();
        types.append(type);
        bits[n] = value;
        return this;
    }

    /** Returns a letter for each argument: p pointer, i int32, l int64, f float32, d float64. */
    String types() {
        return types.toString();
    }

    /** Returns the bits of each argument, in the low bytes. */
    long[] bits() {
        return Arrays.copyOf(bits, types.length());
    }
}
