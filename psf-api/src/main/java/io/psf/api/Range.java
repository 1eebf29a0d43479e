package io.psf.api;

/**
 * A half-open range {@code [begin, end)} of keys.
 *
 * @param begin the first key
 * @param end one past the last key
 */
public record Range(long begin, long end) {
    public Range {
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException("range: [" + begin + ", " + end + ") (expected: 0 <= begin <= end)");
        }
    }

    /** Returns the number of keys. */
    public long length() {
        return end - begin;
    }

    /** True if the range contains the key. */
    public boolean contains(long key) {
        return key >= begin && key < end;
    }

    @Override
    public String toString() {
        return "[" + begin + ", " + end + ")";
    }
}
