package io.psf.interchange;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The header of a safetensors file: JSON with the type, the shape and the place of each array. The arrays follow the
 * header without gaps. Each failure is an {@link IllegalArgumentException}.
 *
 * @param places the arrays in the order of their bytes, with the position after the header at which each one begins
 */
record SafetensorsHeader(Map<ArrayInfo, Long> places) {
    /** The largest header that the format's own library reads. */
    static final long MOST_BYTES = 100_000_000;

    /** An array that is not a tensor: texts about the file. */
    static final String METADATA = "__metadata__";

    /** The bytes of an element of types that are not imported; their arrays may stand beside others. */
    private static final Map<String, Integer> OTHER_TYPES =
            Map.of("BOOL", 1, "U8", 1, "I8", 1, "I16", 2, "U16", 2, "I32", 4, "U32", 4, "U64", 8);

    private record Entry(ArrayInfo info, long begin, long end) {}

    /**
     * Reads a header.
     *
     * @param dataBytes the number of bytes after the header
     */
    static SafetensorsHeader parse(byte[] json, long dataBytes) {
        HeaderText text = new HeaderText(utf8(json), "\"");
        List<Entry> entries = new ArrayList<>();
        Set<String> names = new HashSet<>();
        text.require('{');
        for (boolean more = !text.skip('}'); more; more = more(text, '}')) {
            String name = text.string();
            text.require(':');
            requireNew(names, name);
            if (name.equals(METADATA)) {
                skipTexts(text);
            } else {
                entries.add(entry(text, name));
            }
        }
        text.requireEnd();
        entries.sort(Comparator.comparingLong(Entry::begin).thenComparingLong(Entry::end));
        return placed(entries, dataBytes);
    }

    private static SafetensorsHeader placed(List<Entry> entries, long dataBytes) {
        Map<ArrayInfo, Long> places = new LinkedHashMap<>();
        long at = 0;
        for (Entry each : entries) {
            requireOf(each.info(), "begin", each.begin(), at);
            requireLength(each);
            at = each.end();
            places.put(each.info(), each.begin());
        }
        if (at != dataBytes) {
            throw new IllegalArgumentException(
                    "bytes after the header: " + dataBytes + " (expected: " + at + ", the end of the last array)");
        }
        return new SafetensorsHeader(places);
    }

    private static void requireLength(Entry each) {
        ElementFormat format = ElementFormat.ofSafetensors(each.info().type());
        Integer bytes = format == null ? OTHER_TYPES.get(each.info().type()) : Integer.valueOf(format.bytes());
        long elements = each.info().elements();
        if (bytes == null) {
            requireOf(each.info(), "order of its offsets", Math.min(each.begin(), each.end()), each.begin());
        } else if (elements > Long.MAX_VALUE / bytes) {
            throw new IllegalArgumentException("shape of array \"" + each.info().name() + "\": "
                    + each.info().shape() + " (expected: at most 2^63 - 1 bytes)");
        } else {
            requireOf(each.info(), "length", each.end() - each.begin(), elements * bytes);
        }
    }

    private static void requireOf(ArrayInfo info, String what, long found, long expected) {
        if (found != expected) {
            throw new IllegalArgumentException(
                    what + " of array \"" + info.name() + "\": " + found + " bytes (expected: " + expected + ")");
        }
    }

    private static Entry entry(HeaderText text, String name) {
        String type = "";
        List<Long> shape = List.of();
        List<Long> offsets = List.of();
        Set<String> fields = new HashSet<>();
        text.require('{');
        for (boolean more = !text.skip('}'); more; more = more(text, '}')) {
            String field = text.string();
            text.require(':');
            requireNew(fields, field);
            switch (field) {
                case "dtype" -> type = text.string();
                case "shape" -> shape = integers(text);
                case "data_offsets" -> offsets = integers(text);
                default ->
                    throw new IllegalArgumentException("field of array \"" + name + "\": \"" + field
                            + "\" (expected: dtype, shape and data_offsets)");
            }
        }
        if (fields.size() != 3 || offsets.size() != 2) {
            throw new IllegalArgumentException("array \"" + name + "\": " + fields + " with " + offsets.size()
                    + " offsets (expected: dtype, shape and 2 data_offsets)");
        }
        return new Entry(new ArrayInfo(name, type, shape), offsets.get(0), offsets.get(1));
    }

    private static List<Long> integers(HeaderText text) {
        List<Long> integers = new ArrayList<>();
        text.require('[');
        for (boolean more = !text.skip(']'); more; more = more(text, ']')) {
            integers.add(text.integer());
        }
        return integers;
    }

    private static void skipTexts(HeaderText text) {
        Set<String> keys = new HashSet<>();
        text.require('{');
        for (boolean more = !text.skip('}'); more; more = more(text, '}')) {
            requireNew(keys, text.string());
            text.require(':');
            var unused = text.string();
        }
    }

    /** True if a comma is next, false if it is the end of a list or of an object. */
    private static boolean more(HeaderText text, char end) {
        if (text.skip(',')) {
            return true;
        }
        text.require(end);
        return false;
    }

    private static void requireNew(Set<String> names, String name) {
        if (!names.add(name)) {
            throw new IllegalArgumentException("name \"" + name + "\": twice (expected: once)");
        }
    }

    private static String utf8(byte[] json) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(json))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("header: not UTF-8 (expected: JSON in UTF-8)", e);
        }
    }
}
