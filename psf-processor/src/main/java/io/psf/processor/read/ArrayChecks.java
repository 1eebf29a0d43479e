package io.psf.processor.read;

import io.psf.processor.model.Type;

/** The checks that all array layouts share: the array is a shared array, and its rows have a width. */
final class ArrayChecks {
    private final Problems problems;

    ArrayChecks(Problems problems) {
        this.problems = problems;
    }

    /** Checks that a component with a layout is a shared array. */
    void requireShared(TupleElement each, Mirror mirror) {
        if (!each.isBad() && !(each.type() instanceof Type.Shared)) {
            problems.add(
                    each.field(),
                    mirror,
                    "",
                    Message.LAYOUT_TYPE,
                    mirror.name(),
                    each.name(),
                    each.simpleType(),
                    "a shared array",
                    each.type() instanceof Type.Copied copied
                            ? "Use " + copied.of().shared() + "."
                            : "Use FloatArray, DoubleArray, IntArray, LongArray or ByteArray.");
        }
    }

    /** Checks that a component with keys is an array of int64 keys. */
    void requireKeys(TupleElement each, Mirror mirror) {
        if (!each.isBad() && !each.type().equals(new Type.Shared(Type.Items.LONG))) {
            problems.add(
                    each.field(),
                    mirror,
                    "",
                    Message.LAYOUT_TYPE,
                    mirror.name(),
                    each.name(),
                    each.simpleType(),
                    "LongArray, or a List of a record with a key in a request",
                    "Keys are rows of the tensor, 64 bits each.");
        }
    }

    /** Returns the number of elements in a row of an array; 0 for the tensor's width. */
    int width(TupleElement each, Mirror mirror) {
        int width = mirror.number("width");
        if (width < 0) {
            problems.add(each.field(), mirror, "width", Message.WIDTH, width, each.name());
        }
        return Math.max(0, width);
    }
}
