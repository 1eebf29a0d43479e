package io.psf.api.array;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/** Converts float32 to and from 16 bits. Stateless. */
final class Halves {
    /** The processor's own conversions, which the JDK offers from 20 on; null before. */
    private static final @Nullable MethodHandle TO_FLOAT16 =
            intrinsic("floatToFloat16", MethodType.methodType(short.class, float.class));

    private static final @Nullable MethodHandle FROM_FLOAT16 =
            intrinsic("float16ToFloat", MethodType.methodType(float.class, short.class));

    private static final int INFINITY = 0x7f80_0000;
    private static final int MAGNITUDE = 0x7fff_ffff;
    /** The bits of 65520, from which on a value is nearest to infinity; the largest finite binary16. */
    private static final int OVERFLOW = 0x477f_f000;

    private static final int LARGEST = 0x7bff;
    /** The smallest normal binary16, 2^-14. */
    private static final int LEAST_NORMAL = 0x3880_0000;
    /** The bits of 0.5, whose last place is 2^-24, as the last place of the smallest binary16 is. */
    private static final int HALF = 0x3f00_0000;
    /** The difference of the exponents' biases, in place in a float32. */
    private static final int REBIAS = (127 - 15) << 23;
    /** 2^112: a binary16's bits, moved to a float32's place, times this are its value. */
    private static final float SCALE = 0x1p112f;

    private Halves() {}

    private static @Nullable MethodHandle intrinsic(String name, MethodType type) {
        try {
            return MethodHandles.publicLookup().findStatic(Float.class, name, type);
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        }
    }

    /** Converts n values of 16 bits, from index 0, to float32, from index {@code at}. */
    static void decode(FloatType type, short[] from, int n, float[] into, int at) {
        if (type == FloatType.BFLOAT16) {
            for (int i = 0; i < n; i++) {
                into[at + i] = Float.intBitsToFloat(from[i] << 16);
            }
        } else {
            for (int i = 0; i < n; i++) {
                into[at + i] = fromFloat16(from[i]);
            }
        }
    }

    /** Converts n values of float32, from index {@code at}, to the nearest of 16 bits, from index 0. */
    static void encode(FloatType type, float[] from, int at, int n, short[] into) {
        if (type == FloatType.BFLOAT16) {
            int least = 0; // negative if there is a NaN
            for (int i = 0; i < n; i++) {
                int bits = Float.floatToRawIntBits(from[at + i]);
                least |= INFINITY - (bits & MAGNITUDE);
                into[i] = (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
            }
            for (int i = 0; least < 0 && i < n; i++) {
                into[i] = toBfloat16(Float.floatToRawIntBits(from[at + i]));
            }
        } else {
            for (int i = 0; i < n; i++) {
                into[i] = toFloat16(from[at + i]);
            }
        }
    }

    /** Converts as {@link #encode} does, to one of the two neighbours at random. */
    static void encode(FloatType type, float[] from, int at, int n, short[] into, RandomBits random) {
        for (int i = 0; i < n; i++) {
            float value = from[at + i];
            into[i] = type == FloatType.BFLOAT16
                    ? bfloat16(Float.floatToRawIntBits(value), random.next16())
                    : float16(value, random.next16());
        }
    }

    static float decode(FloatType type, short bits) {
        return type == FloatType.BFLOAT16 ? Float.intBitsToFloat(bits << 16) : fromFloat16(bits);
    }

    private static short toBfloat16(int bits) {
        int rounded = (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
        boolean isNan = (bits & MAGNITUDE) > INFINITY;
        return (short) (isNan ? (bits >>> 16) | 0x40 : rounded);
    }

    /** Adds random bits below the last bit that is kept, then truncates. */
    private static short bfloat16(int bits, int random) {
        if ((bits & MAGNITUDE) >= INFINITY) {
            return toBfloat16(bits);
        }
        return (short) ((bits + random) >>> 16);
    }

    private static float fromFloat16(short bits) {
        if (FROM_FLOAT16 != null) {
            try {
                return (float) FROM_FLOAT16.invokeExact(bits);
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }
        return Table.VALUES[bits & 0xffff];
    }

    /**
     * The values of binary16, for a JDK without a conversion. Computing one takes four times as long, and a hundred
     * times if it is below the normal ones.
     */
    private static final class Table {
        static final float[] VALUES = new float[1 << 16];

        static {
            for (int bits = 0; bits < VALUES.length; bits++) {
                float value = Float.intBitsToFloat((bits & 0x7fff) << 13) * SCALE;
                int magnitude =
                        (bits & 0x7c00) == 0x7c00 ? INFINITY | ((bits & 0x3ff) << 13) : Float.floatToRawIntBits(value);
                VALUES[bits] = Float.intBitsToFloat(magnitude | ((bits & 0x8000) << 16));
            }
        }
    }

    private static short toFloat16(float value) {
        if (TO_FLOAT16 != null) {
            try {
                return (short) TO_FLOAT16.invokeExact(value);
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }
        int bits = Float.floatToRawIntBits(value);
        int magnitude = bits & MAGNITUDE;
        int tiny = Float.floatToRawIntBits(Float.intBitsToFloat(magnitude) + 0.5f) - HALF; // a multiple of 2^-24
        int normal = Math.min((magnitude - REBIAS + 0xfff + ((magnitude >>> 13) & 1)) >>> 13, 0x7c00);
        int rounded = magnitude < LEAST_NORMAL ? tiny : normal;
        return (short) (((bits >>> 16) & 0x8000) | (magnitude > INFINITY ? 0x7e00 : rounded));
    }

    private static short float16(float value, int random) {
        int bits = Float.floatToRawIntBits(value);
        int sign = (bits >>> 16) & 0x8000;
        int magnitude = bits & MAGNITUDE;
        if (magnitude >= OVERFLOW) {
            return toFloat16(value);
        } else if (magnitude < LEAST_NORMAL) {
            return (short) (sign | (int) (Float.intBitsToFloat(magnitude) * 0x1p24 + random * 0x1p-16));
        }
        int rounded = (magnitude - REBIAS + (random >>> 3)) >>> 13;
        return (short) (sign | Math.min(rounded, LARGEST));
    }
}
