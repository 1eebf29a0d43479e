package io.psf.kvstore;

import io.psf.api.PsException;
import io.psf.api.array.IntArray;

/**
 * How a gradient is compressed: the code that is sent for an element, and the update that the code stands for. The
 * first element is in the lowest bits of the first code word. The ordinal is the number on the wire: append only.
 *
 * <p>The codes are computed from the bits of the floats, since the processor would mispredict half of the branches.
 */
public enum Compression {
    /** 2 bits: the threshold t is added if the element is at least t, subtracted if it is at most -t. */
    TWO_BIT(2) {
        @Override
        int code(float element, float threshold) {
            int bits = Float.floatToRawIntBits(element);
            int reached = (Float.floatToRawIntBits(threshold) - 1 - (bits & Integer.MAX_VALUE)) >>> 31;
            return reached << (bits >>> 31);
        }

        @Override
        float update(int code, float threshold) {
            int some = -((code + 1) >> 1); // all bits set unless the code is 0
            return Float.intBitsToFloat((Float.floatToRawIntBits(threshold) & some) | (code >> 1) << 31);
        }
    },
    /** 1 bit: 1 is added if the element is above the threshold, subtracted if it is not. */
    ONE_BIT(1) {
        @Override
        int code(float element, float threshold) {
            return Float.floatToRawIntBits(threshold - element) >>> 31; // the difference has the sign, however small
        }

        @Override
        float update(int code, float threshold) {
            return 2 * code - 1;
        }
    };

    private final int bits;

    Compression(int bits) {
        this.bits = bits;
    }

    /** Returns the code that is sent for an element of the residual. The threshold is as for {@link #encode}. */
    abstract int code(float element, float threshold);

    /** Returns the update that a code stands for. */
    abstract float update(int code, float threshold);

    /** Returns the number of words that the codes of n elements take. */
    public int words(int n) {
        int perWord = Integer.SIZE / bits;
        return (n + perWord - 1) / perWord;
    }

    /**
     * Adds elements of a gradient to the residual, and takes what is sent from it.
     *
     * @param gradient float32
     * @param residual float32, as long as the gradient; modified
     * @param begin the first element
     * @param end one past the last element
     * @param threshold the threshold, finite and not -0; above 0 for {@link #TWO_BIT}
     * @param into receives the codes
     * @param at the index of the first word in {@code into}
     * @return the index after the last word
     */
    public int encode(float[] gradient, float[] residual, int begin, int end, float threshold, int[] into, int at) {
        for (int i = begin; i < end; ) {
            int word = 0;
            for (int shift = 0; shift < Integer.SIZE && i < end; shift += bits, i++) {
                float r = residual[i] + gradient[i];
                int code = code(r, threshold);
                residual[i] = r - update(code, threshold);
                word |= code << shift;
            }
            into[at++] = word;
        }
        return at;
    }

    /**
     * Returns the update that codes stand for.
     *
     * @param n the number of elements
     * @return [n] float32
     * @throws PsException with {@code BAD_REQUEST} if n elements have another number of words
     */
    float[] decode(IntArray codes, int n, float threshold) {
        if (codes.length() != words(n)) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "codes: " + codes.length() + " words (expected: " + words(n) + ", for " + n + " elements)");
        }
        float[] updates = new float[1 << bits];
        for (int code = 0; code < updates.length; code++) {
            updates[code] = update(code, threshold);
        }
        int[] words = codes.toArray();
        float[] decoded = new float[n];
        int mask = updates.length - 1;
        int perWord = Integer.SIZE / bits;
        for (int i = 0; i < n; i += perWord) {
            int word = words[i / perWord];
            int most = Math.min(perWord, n - i);
            for (int j = 0; j < most; j++) {
                decoded[i + j] = updates[word & mask];
                word >>>= bits;
            }
        }
        return decoded;
    }
}
