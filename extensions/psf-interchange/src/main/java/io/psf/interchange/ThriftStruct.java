package io.psf.interchange;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A struct of the metadata of a Parquet file, in Thrift's compact protocol: fields by their numbers. Integers are
 * {@code Long}, binaries {@code byte[]}. What is damaged is an {@link IllegalArgumentException}, what is cut off a
 * {@link java.nio.BufferUnderflowException}.
 */
record ThriftStruct(Map<Integer, Object> fields) {
    private static final int TRUE = 1;
    private static final int FALSE = 2;
    private static final int BYTE = 3;
    private static final int I16 = 4;
    private static final int I32 = 5;
    private static final int I64 = 6;
    private static final int DOUBLE = 7;
    private static final int BINARY = 8;
    private static final int LIST = 9;
    private static final int SET = 10;
    private static final int MAP = 11;
    private static final int STRUCT = 12;

    /** The most structs and lists inside each other; the format has fewer than 10. */
    private static final int DEEPEST = 32;

    /** Reads a struct, at which the buffer stands. */
    static ThriftStruct read(ByteBuffer in) {
        return struct(in, 0);
    }

    private static ThriftStruct struct(ByteBuffer in, int depth) {
        Map<Integer, Object> fields = new HashMap<>();
        int field = 0;
        for (int head = in.get() & 0xff; head != 0; head = in.get() & 0xff) {
            field = head >> 4 == 0 ? (int) zigzag(in) : field + (head >> 4);
            int type = head & 0xf;
            fields.put(field, type == TRUE || type == FALSE ? (Object) (type == TRUE) : value(in, type, depth));
        }
        return new ThriftStruct(fields);
    }

    private static Object value(ByteBuffer in, int type, int depth) {
        if (depth > DEEPEST) {
            throw new IllegalArgumentException("metadata: more than " + DEEPEST + " structs inside each other");
        }
        return switch (type) {
            case TRUE, FALSE -> in.get() == TRUE;
            case BYTE -> (long) in.get();
            case I16, I32, I64 -> zigzag(in);
            case DOUBLE -> in.getDouble();
            case BINARY -> binary(in);
            case LIST, SET -> list(in, depth + 1);
            case MAP -> map(in, depth + 1);
            case STRUCT -> struct(in, depth + 1);
            default -> throw new IllegalArgumentException("metadata: type " + type + " of a field");
        };
    }

    private static byte[] binary(ByteBuffer in) {
        byte[] bytes = new byte[length(in)];
        in.get(bytes);
        return bytes;
    }

    private static List<Object> list(ByteBuffer in, int depth) {
        int head = in.get() & 0xff;
        int n = head >> 4 == 0xf ? length(in) : head >> 4;
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            list.add(value(in, head & 0xf, depth));
        }
        return list;
    }

    private static List<Object> map(ByteBuffer in, int depth) {
        int n = length(in);
        int types = n == 0 ? 0 : in.get() & 0xff;
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            list.add(value(in, types >> 4, depth));
            list.add(value(in, types & 0xf, depth));
        }
        return list;
    }

    /** Reads a number of bytes or elements, each of which takes a byte or more. */
    private static int length(ByteBuffer in) {
        long length = varint(in);
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        return (int) length;
    }

    /** Reads an unsigned number: 7 bits a byte, the lowest first. */
    static long varint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte each = in.get();
            value |= (long) (each & 0x7f) << shift;
            if (each >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("a number of more than 64 bits");
    }

    /** Reads a signed number. */
    static long zigzag(ByteBuffer in) {
        long value = varint(in);
        return value >>> 1 ^ -(value & 1);
    }

    boolean has(int field) {
        return fields.containsKey(field);
    }

    long integer(int field) {
        return of(field, Long.class);
    }

    long integer(int field, long otherwise) {
        return has(field) ? integer(field) : otherwise;
    }

    boolean isTrue(int field, boolean otherwise) {
        return has(field) ? of(field, Boolean.class) : otherwise;
    }

    String text(int field) {
        return new String(of(field, byte[].class), StandardCharsets.UTF_8);
    }

    ThriftStruct struct(int field) {
        return of(field, ThriftStruct.class);
    }

    /** Returns the structs of a list; none if it is not there. */
    List<ThriftStruct> structs(int field) {
        List<ThriftStruct> structs = new ArrayList<>();
        if (has(field)) {
            for (Object each : of(field, List.class)) {
                structs.add(cast(field, each, ThriftStruct.class));
            }
        }
        return structs;
    }

    private <T> T of(int field, Class<T> type) {
        return cast(field, fields.get(field), type);
    }

    private static <T> T cast(int field, @Nullable Object value, Class<T> type) {
        if (!type.isInstance(value)) {
            throw new IllegalArgumentException("metadata: field " + field + " is "
                    + (value == null ? "missing" : "a " + value.getClass().getSimpleName()) + " (expected: "
                    + type.getSimpleName() + ")");
        }
        return type.cast(value);
    }
}
