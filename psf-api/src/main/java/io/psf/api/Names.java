package io.psf.api;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/** Checks names, and computes the numbers that represent them on the wire. */
public final class Names {
    private static final int MAX_LENGTH = 200;

    private static final Pattern PATH = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*");
    /** The most causes of a failure that are shown. */
    private static final int DEPTH = 20;

    /** How deep suppressed failures are shown: each cause may have many. */
    private static final int DEPTH_OF_SUPPRESSED = 3;

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
     *     character, a line separator, a character of text direction or half of a surrogate pair
     */
    public static String requireName(String what, String name) {
        if (name.isEmpty() || name.length() > MAX_LENGTH || !isPrintable(name)) {
            String shown = name.substring(0, Math.min(name.length(), MAX_LENGTH));
            throw new IllegalArgumentException("name of " + what + ": \"" + printable(shown)
                    + (shown.length() < name.length() ? "..\", " + name.length() + " characters" : "\"")
                    + " (expected: 1 to "
                    + MAX_LENGTH + " printable characters)");
        }
        int lone = loneSurrogate(name);
        if (lone >= 0) {
            throw new IllegalArgumentException("name of " + what + ": " + lone(name, lone));
        }
        return name;
    }

    /**
     * Checks the name of a checkpoint or model: a path below a server's directory, from which it does not lead out.
     *
     * @param what the kind of object that the name belongs to, for the message
     * @throws IllegalArgumentException if it is empty, longer than 200 characters, has others than letters and digits
     *     of ASCII, dot, underscore, hyphen and slash, or a part that is empty or begins with a dot or a hyphen
     */
    public static String requirePath(String what, String path) {
        if (path.length() > MAX_LENGTH || !PATH.matcher(path).matches()) {
            throw new IllegalArgumentException(what + ": \""
                    + printable(path.substring(0, Math.min(path.length(), 1000)))
                    + "\" (expected: a name below the server's directory, such as model/epoch-3: at most " + MAX_LENGTH
                    + " of A-Z a-z 0-9 . _ - and /, no part of it beginning with a dot or a hyphen)");
        }
        return path;
    }

    /**
     * Returns a text that stays on one line of a message or log: control characters, line separators and characters of
     * text direction are escaped, such as a line feed as <code>&#92;u000a</code>. Other texts are returned unchanged.
     */
    public static String printable(String text) {
        if (isPrintable(text)) {
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

    /**
     * Returns a failure for a log, whose messages may quote a peer: the same one if all of them stay on one line, else
     * a copy with its stack traces, whose messages are {@link #printable}.
     */
    public static Throwable printable(Throwable failure) {
        return isPrintable(failure, 0) ? failure : new Printed(failure, 0);
    }

    private static boolean isPrintable(Throwable failure, int depth) {
        Throwable cause = failure.getCause();
        if (depth == DEPTH
                || !isPrintable(String.valueOf(failure))
                || cause != null && !isPrintable(cause, depth + 1)) {
            return false;
        }
        for (Throwable other : failure.getSuppressed()) {
            if (depth >= DEPTH_OF_SUPPRESSED || !isPrintable(other, depth + 1)) {
                return false;
            }
        }
        return true;
    }

    /** The copy of a failure, as a log shows it. */
    private static final class Printed extends Throwable {
        private static final long serialVersionUID = 1L;

        Printed(Throwable failure, int depth) {
            super(
                    printable(String.valueOf(failure)),
                    failure.getCause() == null || depth == DEPTH ? null : new Printed(failure.getCause(), depth + 1));
            setStackTrace(failure.getStackTrace());
            if (depth < DEPTH_OF_SUPPRESSED) {
                for (Throwable other : failure.getSuppressed()) {
                    addSuppressed(new Printed(other, depth + 1));
                }
            }
        }
    }

    private static boolean isPrintable(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!isPrintable(text.charAt(i))) {
                return false;
            }
        }
        return true;
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
        return String.format(
                Locale.ROOT,
                "character %d: U+%04X (expected: both halves of a surrogate pair; UTF-8 cannot encode one half)",
                at,
                (int) text.charAt(at));
    }
}
