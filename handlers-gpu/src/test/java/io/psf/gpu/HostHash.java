package io.psf.gpu;

/** The inverse of psf's hash, for keys and elements with hashes that are rare. */
final class HostHash {
    static final long GAMMA = 0x9E3779B97F4A7C15L;

    private HostHash() {}

    /** Returns the key with a hash. */
    static long unhash(long hash) {
        long z = hash ^ (hash >>> 31) ^ (hash >>> 62);
        z *= inverse(0x94D049BB133111EBL);
        z ^= (z >>> 27) ^ (z >>> 54);
        z *= inverse(0xBF58476D1CE4E5B9L);
        return z ^ (z >>> 30) ^ (z >>> 60);
    }

    /** Returns the element whose first draw from a stream has the given 64 bits. */
    static long elementWith(long bits, long key) {
        long stream = unhash(bits) - GAMMA;
        return (unhash(stream) - key) * inverse(GAMMA) - 1;
    }

    private static long inverse(long odd) {
        long x = odd; // 3 bits are right; each step doubles their number
        for (int i = 0; i < 5; i++) {
            x *= 2 - odd * x;
        }
        return x;
    }
}
