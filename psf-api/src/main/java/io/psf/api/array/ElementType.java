package io.psf.api.array;

/** The type of an array's elements. A constant's position is its number on the wire: append only. */
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

    /** Returns the size of an element in bytes. */
    public int size() {
        return size;
    }
}
