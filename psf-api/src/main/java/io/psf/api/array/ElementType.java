package io.psf.api.array;

/** What an array's elements are. The order is the number on the wire: append only. */
public enum ElementType {
    /** int8. */
    BYTE(1),
    /** int32. */
    INT(4),
    /** int64. */
    LONG(8),
    /** float32. */
    FLOAT(4),
    /** float64. */
    DOUBLE(8);

    private final int size;

    ElementType(int size) {
        this.size = size;
    }

    /** Bytes of an element. */
    public int size() {
        return size;
    }
}
