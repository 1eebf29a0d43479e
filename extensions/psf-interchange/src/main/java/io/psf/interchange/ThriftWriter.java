package io.psf.interchange;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/** Writes the structs of the metadata of a Parquet file, in Thrift's compact protocol: fields in the order of their numbers. */
final class ThriftWriter {
    private static final int I32 = 5;
    private static final int I64 = 6;
    private static final int BINARY = 8;
    private static final int LIST = 9;
    private static final int STRUCT = 12;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    /** The number of the last field of each open struct. */
    private final Deque<Integer> last = new ArrayDeque<>();

    /** Begins the outermost struct, or a struct of a list. */
    ThriftWriter begin() {
        last.push(0);
        return this;
    }

    /** Begins a struct that is a field. */
    ThriftWriter begin(int field) {
        return head(field, STRUCT).begin();
    }

    /** Ends the innermost struct. */
    ThriftWriter end() {
        last.pop();
        out.write(0);
        return this;
    }

    ThriftWriter i32(int field, int value) {
        return head(field, I32).zigzag(value);
    }

    ThriftWriter i64(int field, long value) {
        return head(field, I64).zigzag(value);
    }

    ThriftWriter text(int field, String text) {
        return binary(field, text.getBytes(StandardCharsets.UTF_8));
    }

    ThriftWriter binary(int field, byte[] bytes) {
        return head(field, BINARY).varint(bytes.length).bytes(bytes);
    }

    /** Begins a list of structs. */
    ThriftWriter structs(int field, int n) {
        return list(field, STRUCT, n);
    }

    /** Writes a list of texts. */
    ThriftWriter texts(int field, String... texts) {
        list(field, BINARY, texts.length);
        for (String each : texts) {
            byte[] bytes = each.getBytes(StandardCharsets.UTF_8);
            varint(bytes.length).bytes(bytes);
        }
        return this;
    }

    /** Writes a list of int32. */
    ThriftWriter integers(int field, int... values) {
        list(field, I32, values.length);
        for (int each : values) {
            zigzag(each);
        }
        return this;
    }

    private ThriftWriter list(int field, int type, int n) {
        head(field, LIST);
        out.write(Math.min(n, 0xf) << 4 | type);
        return n < 0xf ? this : varint(n);
    }

    private ThriftWriter head(int field, int type) {
        out.write(field - last.pop() << 4 | type); // no struct here has a gap of more than 15
        last.push(field);
        return this;
    }

    private ThriftWriter zigzag(long value) {
        return varint(value << 1 ^ value >> 63);
    }

    private ThriftWriter varint(long value) {
        for (long left = value; ; left >>>= 7) {
            if ((left & ~0x7fL) == 0) {
                out.write((int) left);
                return this;
            }
            out.write((int) (left & 0x7f | 0x80));
        }
    }

    private ThriftWriter bytes(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    byte[] toBytes() {
        return out.toByteArray();
    }
}
