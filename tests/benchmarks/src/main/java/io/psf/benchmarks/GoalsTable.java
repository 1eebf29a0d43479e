package io.psf.benchmarks;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The section of the documentation that the figures are written to: the text between two comments. */
record GoalsTable(Path file) {
    static final String BEGIN = "<!-- goals: written by ./psf bench --full -->";
    static final String END = "<!-- end of goals -->";

    /**
     * Checks that a file has the section.
     *
     * @throws PsException with {@code CONFIGURATION} if the file cannot be read or does not have both comments
     */
    static GoalsTable in(Path file) {
        GoalsTable table = new GoalsTable(file);
        String unused = filled(table.read(), "", file);
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
        Files.writeString(file, filled(read(), content, file), StandardCharsets.UTF_8);
    }

    static String filled(String text, String content, Path file) {
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "%s: has no place for the figures (expected: %s and %s)".formatted(file, BEGIN, END));
        }
        return text.substring(0, begin + BEGIN.length()) + "\n\n" + content.strip() + "\n\n" + text.substring(end);
    }
}
