package io.psf.api;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Checks names, and computes the numbers that represent them on the wire. */
public final class Names {
    private static final int MAX_LENGTH = 200;
    private static final int OFFSET = 0x811c9dc5;
    private static final int PRIME = 0x01000193;

    private Names() {}

    /**
     * Returns the number of a name: the 32-bit FNV-1a hash of its UTF-8 bytes, never 0.
     *
     * @see <a href="https://datatracker.ietf.org/doc/html/rfc9923">The FNV non-cryptographic hash algorithm</a>
     */
    public static int number(String name) {
        int hash = OFFSET;
        for (int i = 0; i < name.length(); i++) { // called for each frame: no copy if the name is ASCII
            char c = name.charAt(i);
            if (c >= 0x80) {
                return number(name.getBytes(StandardCharsets.UTF_8));
            }
            hash = (hash ^ c) * PRIME;
        }
        return hash == 0 ? 1 : hash;
    }

    private static int number(byte[] name) {
        int hash = OFFSET;
        for (byte b : name) {
            hash = (hash ^ (b & 0xff)) * PRIME;
        }
        return hash == 0 ? 1 : hash;
    }

    /**
     * Checks a name.
     *
     * @param what the kind of object that the name belongs to, for the message
     * @throws IllegalArgumentException if the name is empty, longer than 200 characters, or contains a control
     *     character or half of a surrogate pair
     */
    public static String requireName(String what, String name) {
        if (name.isEmpty() || name.length() > MAX_LENGTH || name.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("name of " + what + ": \"" + printable(name) + "\" (expected: 1 to "
                    + MAX_LENGTH + " printable characters)");
        }
        int lone = loneSurrogate(name);
        if (lone >= 0) {
            throw new IllegalArgumentException("name of " + what + ": " + lone(name, lone));
        }
        return name;
    }

    /**
     * Returns a text that stays on one line of a message or log: control characters, line separators and characters of
     * text direction are escaped, such as a line feed as <code>&#92;u000a</code>. Other texts are returned unchanged.
     */
    public static String printable(String text) {
        if (text.chars().allMatch(c -> isPrintable((char) c))) {
            return text;
        }
        StringBuilder printable = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isPrintable(c)) {
                printable.append(c);
            } else {
                printable.append("\\u").append(HexFormat.of().toHexDigits(c)); // a peer's text: no formatter
            }
        }
        return printable.toString();
    }

    private static boolean isPrintable(char c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    /** Returns the index of the first surrogate whose other half is missing; -1 if there is none. */
    public static int loneSurrogate(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                return i;
            }
        }
        return -1;
    }

    /** Returns a message that names a lone surrogate in a text, and what is expected. */
    public static String lone(String text, int at) {
        return "character %d: U+%04X (expected: both halves of a surrogate pair; UTF-8 cannot encode one half)"
                .formatted(at, (int) text.charAt(at));
    }
}
