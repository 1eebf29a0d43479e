package io.psf.runtime.transport;

/** Makes text of a peer safe for a line of a log. */
public final class PeerText {
    /** The most characters of a peer's text in a line. */
    static final int MOST = 1000;

    private PeerText() {}

    /**
     * Returns the text with control characters, line separators and characters of text direction escaped. A long text is
     * cut off.
     */
    public static String safe(String text) {
        int length = Math.min(text.length(), MOST);
        StringBuilder safe = new StringBuilder(length + 2);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (isHarmless(c)) {
                safe.append(c);
            } else {
                safe.append(String.format("\\u%04x", (int) c));
            }
        }
        return text.length() > MOST ? safe.append("..").toString() : safe.toString();
    }

    private static boolean isHarmless(char c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
