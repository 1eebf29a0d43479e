package io.psf.processor.model;

/** A scalar type, whose values are copied into the block of a frame. */
public enum Scalar implements Type {
    BOOLEAN("bool", 1),
    BYTE("i8", 1),
    SHORT("i16", 2),
    INT("i32", 4),
    LONG("i64", 8),
    FLOAT("f32", 4),
    DOUBLE("f64", 8),
    STRING("string", 4),
    TENSOR("tensor", 4);

    private final String schema;
    private final int leastBytes;

    Scalar(String schema, int leastBytes) {
        this.schema = schema;
        this.leastBytes = leastBytes;
    }

    /** True if the type is a number that a reduction can fold. */
    public boolean isNumber() {
        return this != BOOLEAN && this != STRING && this != TENSOR;
    }

    String text() {
        return schema;
    }

    @Override
    public String schema(int version, int base) {
        return schema;
    }

    @Override
    public int leastBytes() {
        return leastBytes;
    }
}
