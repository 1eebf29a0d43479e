package io.psf.api.spi;

import java.nio.charset.StandardCharsets;

/** Names, and the numbers that stand for them on the wire. */
public final class Names {
    private static final int MAX_LENGTH = 200;
    private static final int OFFSET = 0x811c9dc5;
    private static final int PRIME = 0x01000193;

    private Names() {}

    /**
     * The number of a name: FNV-1a with 32 bits over its UTF-8 bytes, never 0.
     *
     * @see <a href="https://datatracker.ietf.org/doc/html/rfc9923">The FNV non-cryptographic hash algorithm</a>
     */
    public static int number(String name) {
        int hash = OFFSET;
        for (int i = 0; i < name.length(); i++) { // of each frame, so without a copy where bytes are characters
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
     * @param what of what it is the name, for the message
     * @throws IllegalArgumentException if it is empty, longer than 200 characters or holds a control character
     */
    public static String requireName(String what, String name) {
        if (name.isEmpty() || name.length() > MAX_LENGTH || name.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "name of " + what + ": \"" + name + "\" (expected: 1 to " + MAX_LENGTH + " printable characters)");
        }
        return name;
    }
}
