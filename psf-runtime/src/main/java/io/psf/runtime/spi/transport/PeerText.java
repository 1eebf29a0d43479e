package io.psf.runtime.spi.transport;

import io.psf.api.Names;
import java.nio.ByteBuffer;

/** Makes text of a peer safe for a line of a log. */
final class PeerText {
    /** The most characters of a peer's text in a line. */
    static final int MOST = 1000;

    /** The most bytes of a peer that a message shows. */
    private static final int MOST_BYTES = 32;

    private PeerText() {}

    /**
     * Returns the first bytes of a peer as quoted ASCII text, with all other bytes escaped.
     *
     * @param at the index of the first byte
     * @param there the number of bytes that have arrived
     */
    static String quoted(ByteBuffer bytes, int at, int there) {
        StringBuilder text = new StringBuilder("\"");
        for (int i = 0; i < Math.min(there, MOST_BYTES); i++) {
            byte b = bytes.get(at + i);
            switch (b) {
                case '\r' -> text.append("\\r");
                case '\n' -> text.append("\\n");
                case '"', '\\' -> text.append('\\').append((char) b);
                default -> {
                    if (b >= ' ' && b < 0x7f) {
                        text.append((char) b);
                    } else {
                        text.append("\\x").append(digit(b >> 4)).append(digit(b));
                    }
                }
            }
        }
        return text.append(there > MOST_BYTES ? "..\"" : "\"").toString();
    }

    private static char digit(int bits) {
        return Character.forDigit(bits & 0xf, 16);
    }

    /**
     * Returns the text with control characters, line separators and characters of text direction escaped. A long text
     * is cut off.
     */
    static String safe(String text) {
        String safe = Names.printable(text.substring(0, Math.min(text.length(), MOST)));
        return text.length() > MOST ? safe + ".." : safe;
    }
}
