package io.psf.processor.emit;

import io.psf.processor.model.Scalar;
import io.psf.processor.model.Type;
import io.psf.processor.model.WireFormat;

/** The names of the methods of {@code TupleReader} and {@code TupleWriter} by type. */
final class TupleMethods {
    private TupleMethods() {}

    /** Returns the reader's and the writer's method for a scalar. */
    static String of(Scalar scalar) {
        return switch (scalar) {
            case BOOLEAN -> "bool";
            case BYTE -> "i8";
            case SHORT -> "i16";
            case INT -> "i32";
            case LONG -> "i64";
            case FLOAT -> "f32";
            case DOUBLE -> "f64";
            case STRING -> "string";
            case TENSOR -> "tensor";
        };
    }

    /** Returns the reader's and the writer's method for a copied array. */
    static String ofCopied(Type.Items items) {
        return items.keyword() + "s";
    }

    /** Returns the reader's method for a shared array. */
    static String ofShared(Type.Shared array) {
        return array.wire() == WireFormat.OWN ? array.of().keyword() + "Array" : "wireFloats";
    }
}
