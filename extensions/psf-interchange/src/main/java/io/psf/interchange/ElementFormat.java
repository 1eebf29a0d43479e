package io.psf.interchange;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** An element type of arrays that are imported. All are little-endian. */
enum ElementFormat {
    F16("F16", "<f2", 2),
    BF16("BF16", "", 2),
    F32("F32", "<f4", 4),
    F64("F64", "<f8", 8),
    I64("I64", "<i8", 8),
    I32("I32", "<i4", 4);

    private final String safetensors;
    private final String npy;
    private final int bytes;

    ElementFormat(String safetensors, String npy, int bytes) {
        this.safetensors = safetensors;
        this.npy = npy;
        this.bytes = bytes;
    }

    /** Returns the type that a safetensors file names so; null if it is not imported. */
    static @Nullable ElementFormat ofSafetensors(String type) {
        return Arrays.stream(values())
                .filter(each -> each.safetensors.equals(type))
                .findFirst()
                .orElse(null);
    }

    /** Returns the type that a npy file names so; null if it is not imported. */
    static @Nullable ElementFormat ofNpy(String type) {
        return Arrays.stream(values())
                .filter(each -> !type.isEmpty() && each.npy.equals(type))
                .findFirst()
                .orElse(null);
    }

    /** Returns the name of the type in a safetensors file. */
    String safetensors() {
        return safetensors;
    }

    /** Returns the name of the type in a npy file. */
    String npy() {
        return npy;
    }

    int bytes() {
        return bytes;
    }

    /** Reads the next element as float32, rounded to the nearest. */
    float read(ByteBuffer in) {
        return switch (this) {
            case F16 -> half(in.getShort());
            case BF16 -> Float.intBitsToFloat(in.getShort() << 16);
            case F32 -> in.getFloat();
            case F64 -> (float) in.getDouble();
            case I64 -> in.getLong();
            case I32 -> in.getInt();
        };
    }

    /** Returns true if elements may be keys, and are no floats. */
    boolean isInteger() {
        return this == I64 || this == I32;
    }

    /** Reads the next element, an integer. */
    long readInteger(ByteBuffer in) {
        return this == I32 ? in.getInt() : in.getLong();
    }

    /** Returns the value of IEEE 754 binary16: a sign, 5 bits of exponent with bias 15, 10 bits of fraction. */
    private static float half(short bits) {
        int exponent = bits >> 10 & 0x1f;
        int fraction = bits & 0x3ff;
        float magnitude = switch (exponent) {
            case 0 -> Math.scalb((float) fraction, -24);
            case 0x1f -> fraction == 0 ? Float.POSITIVE_INFINITY : Float.NaN;
            default -> Math.scalb((float) (fraction | 0x400), exponent - 25);
        };
        return bits < 0 ? -magnitude : magnitude;
    }
}
