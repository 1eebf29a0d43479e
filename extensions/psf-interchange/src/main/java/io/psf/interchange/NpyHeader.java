package io.psf.interchange;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The header of a npy file: a dictionary of Python as text. Each failure is an {@link IllegalArgumentException}. */
final class NpyHeader {
    /** The first bytes of each file, before the version. */
    static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};

    /** The length of magic, version and length of the text in version 1.0. */
    static final int PREFIX = 10;

    /** The longest text that is read. */
    static final int MOST_BYTES = 1 << 16;

    private NpyHeader() {}

    /** Reads the text of a header. */
    static ArrayInfo parse(byte[] bytes) {
        HeaderText text = new HeaderText(new String(bytes, StandardCharsets.UTF_8), "'\"");
        String type = "";
        List<Long> shape = List.of();
        Set<String> fields = new HashSet<>();
        text.require('{');
        while (!text.skip('}')) {
            String field = text.string();
            text.require(':');
            switch (fields.add(field) ? field : "") {
                case "descr" -> type = text.string();
                case "fortran_order" -> requireRowOrder(text);
                case "shape" -> shape = shape(text);
                default ->
                    throw new IllegalArgumentException(
                            "field \"" + field + "\" (expected: descr, fortran_order and shape, each once)");
            }
            if (!text.skip(',')) {
                text.require('}');
                break;
            }
        }
        text.requireEnd();
        if (fields.size() != 3) {
            throw new IllegalArgumentException("header: " + fields + " (expected: descr, fortran_order and shape)");
        }
        return new ArrayInfo("", type, shape);
    }

    private static void requireRowOrder(HeaderText text) {
        if (!text.skipWord("False")) {
            throw new IllegalArgumentException(
                    "fortran_order: not False (expected: False, as numpy.ascontiguousarray makes it)");
        }
    }

    private static List<Long> shape(HeaderText text) {
        List<Long> shape = new ArrayList<>();
        text.require('(');
        while (!text.skip(')')) {
            shape.add(text.integer());
            if (!text.skip(',')) {
                text.require(')');
                break;
            }
        }
        return shape;
    }

    /** Returns all bytes before the data, in version 1.0: a multiple of 64. */
    static byte[] write(ElementFormat format, List<Long> shape) {
        String dimensions = shape.stream().map(String::valueOf).collect(Collectors.joining(", "));
        String text = "{'descr': '" + format.npy() + "', 'fortran_order': False, 'shape': (" + dimensions
                + (shape.size() == 1 ? "," : "") + "), }";
        int length = (PREFIX + text.length() + 1 + 63) / 64 * 64;
        byte[] bytes = " ".repeat(length).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(MAGIC, 0, bytes, 0, MAGIC.length);
        bytes[6] = 1;
        bytes[7] = 0;
        bytes[8] = (byte) (length - PREFIX);
        bytes[9] = (byte) ((length - PREFIX) >> 8);
        System.arraycopy(text.getBytes(StandardCharsets.US_ASCII), 0, bytes, PREFIX, text.length());
        bytes[length - 1] = '\n';
        return bytes;
    }
}
