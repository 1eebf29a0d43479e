package io.psf.interchange;

/**
 * Reads the text of a header from left to right: strings, integers and punctuation. It does not recurse. Each failure
 * is an {@link IllegalArgumentException} that names the position. Not thread-safe.
 */
final class HeaderText {
    private final String text;
    /** The characters that begin and end a string. */
    private final String quotes;

    private int at;

    HeaderText(String text, String quotes) {
        this.text = text;
        this.quotes = quotes;
    }

    /** Skips blanks, then the character if it is next. True if it was. */
    boolean skip(char expected) {
        skipBlanks();
        if (at < text.length() && text.charAt(at) == expected) {
            at++;
            return true;
        }
        return false;
    }

    /** Skips blanks and a character, which must be next. */
    void require(char expected) {
        if (!skip(expected)) {
            throw unexpected("'" + expected + "'");
        }
    }

    /** Skips blanks and a word, which must be next. */
    boolean skipWord(String word) {
        skipBlanks();
        boolean isNext = text.startsWith(word, at);
        at += isNext ? word.length() : 0;
        return isNext;
    }

    /** Checks that only blanks are left. */
    void requireEnd() {
        skipBlanks();
        if (at < text.length()) {
            throw unexpected("the end");
        }
    }

    /** Reads an integer from 0 to 2^63 - 1. */
    long integer() {
        skipBlanks();
        int begin = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        try {
            return Long.parseLong(text, begin, at, 10);
        } catch (NumberFormatException e) {
            at = begin;
            throw unexpected("an integer from 0 to 2^63 - 1");
        }
    }

    /** Reads a string with the escapes of JSON. */
    String string() {
        skipBlanks();
        if (at == text.length() || quotes.indexOf(text.charAt(at)) < 0) {
            throw unexpected("a string");
        }
        char quote = text.charAt(at++);
        StringBuilder string = new StringBuilder();
        while (at < text.length() && text.charAt(at) != quote) {
            if (text.charAt(at) < ' ') {
                throw unexpected("a string without control characters");
            }
            string.append(text.charAt(at) == '\\' ? escaped() : text.charAt(at++));
        }
        if (at == text.length()) {
            throw unexpected("a string that ends");
        }
        at++;
        return string.toString();
    }

    private char escaped() {
        at++;
        int which = at < text.length() ? "\"\\/bfnrtu".indexOf(text.charAt(at)) : -1;
        if (which < 0) {
            throw unexpected("an escape of JSON");
        }
        at++;
        return which < 8 ? "\"\\/\b\f\n\r\t".charAt(which) : unicode();
    }

    private char unicode() {
        int code = 0;
        for (int end = at + 4; at < end; at++) {
            int digit = at < text.length() ? Character.digit(text.charAt(at), 16) : -1;
            if (digit < 0) {
                throw unexpected("4 hex digits");
            }
            code = code << 4 | digit;
        }
        return (char) code;
    }

    private void skipBlanks() {
        while (at < text.length() && " \n\r\t".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private IllegalArgumentException unexpected(String expected) {
        String found = at == text.length() ? "its end" : "'" + text.charAt(at) + "'";
        return new IllegalArgumentException(
                "header at character " + at + ": " + found + " (expected: " + expected + ")");
    }
}
