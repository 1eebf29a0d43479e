package io.psf.api.spi;

import io.psf.api.Names;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Encodes and decodes the texts of tuples. Bytes and characters that UTF-8 does not have are errors. */
final class Utf8 {
    /** The character that a decoder substitutes for bytes that are not a character. */
    private static final char REPLACEMENT = '\ufffd';

    private static final VarHandle EIGHT_BYTES =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private Utf8() {}

    /**
     * Returns the text of some bytes.
     *
     * @throws io.psf.api.PsException with {@code PROTOCOL} if the bytes are not UTF-8
     */
    static String decode(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) >= 0) { // it was in the text, or replaces bytes that are not a character
            requireUtf8(bytes);
        }
        return text;
    }

    private static void requireUtf8(byte[] bytes) {
        ByteBuffer text = ByteBuffer.wrap(bytes);
        try {
            var unused = StandardCharsets.UTF_8.newDecoder().decode(text);
        } catch (CharacterCodingException e) {
            throw BlockReader.malformed("text: byte " + text.position() + " of " + bytes.length + " (expected: UTF-8)");
        }
    }

    /**
     * Writes the characters of a text as bytes, and returns true if all are ASCII; false leaves the bytes undefined.
     */
    static boolean ascii(String text, byte[] bytes, int at) {
        int length = text.length();
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                return false;
            }
            bytes[at + i] = (byte) c;
        }
        return true;
    }

    /**
     * Returns the bytes of a text.
     *
     * @throws IllegalArgumentException if the text has half of a surrogate pair, which cannot be encoded in UTF-8
     */
    static byte[] encode(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (hasQuestionMark(bytes)) { // the JDK encodes half of a surrogate pair as '?'
            int lone = Names.loneSurrogate(text);
            if (lone >= 0) {
                throw new IllegalArgumentException("text: " + Names.lone(text, lone));
            }
        }
        return bytes;
    }

    /** True if one of the bytes is a question mark; checks eight bytes at a time. */
    private static boolean hasQuestionMark(byte[] text) {
        int at = 0;
        for (; at <= text.length - 8; at += 8) {
            long zeroIfMark = (long) EIGHT_BYTES.get(text, at) ^ 0x3f3f3f3f3f3f3f3fL;
            if (((zeroIfMark - 0x0101010101010101L) & ~zeroIfMark & 0x8080808080808080L) != 0) {
                return true;
            }
        }
        for (; at < text.length; at++) {
            if (text[at] == '?') {
                return true;
            }
        }
        return false;
    }
}
