package io.psf.benchmarks;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The section of the documentation that the figures are written to: the text between two comments. JDKs whose vectors
 * access memory segments have a section of their own.
 *
 * @param begin the comment before the section
 */
record GoalsTable(Path file, String begin) {
    static final String OLDER = "<!-- goals on JDK 17 to 21: written by ./psf bench --full -->";
    static final String NEWER = "<!-- goals on JDK 22 and later: written by ./psf bench --full -->";
    static final String END = "<!-- end of goals -->";

    /**
     * Checks that a file has the section of a JDK.
     *
     * @param release such as 17
     * @throws PsException with {@code CONFIGURATION} if the file cannot be read or does not have both comments
     */
    static GoalsTable in(Path file, int release) {
        GoalsTable table = new GoalsTable(file, release < 22 ? OLDER : NEWER);
        String unused = table.filled(table.read(), "");
        return table;
    }

    private String read() {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "%s: cannot be read (expected: docs/performance.md of a checkout; --docs names another file)"
                            .formatted(file),
                    e);
        }
    }

    /** Replaces the section's content. */
    void fill(String content) throws IOException {
        Files.writeString(file, filled(read(), content), StandardCharsets.UTF_8);
    }

    private String filled(String text, String content) {
        int from = text.indexOf(begin);
        int to = text.indexOf(END, Math.max(0, from));
        if (from < 0 || to < 0) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "%s: has no place for the figures (expected: %s and %s)".formatted(file, begin, END));
        }
        return text.substring(0, from + begin.length()) + "\n\n" + content.strip() + "\n\n" + text.substring(to);
    }
}
