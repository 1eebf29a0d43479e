package io.psf.processor.read;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Parses a doc comment. */
final class Docs {
    private Docs() {}

    /** Returns the text before the first tag. */
    static String text(@Nullable String comment) {
        StringBuilder text = new StringBuilder();
        for (String line : lines(comment)) {
            if (line.strip().startsWith("@")) {
                break;
            }
            text.append(line).append('\n');
        }
        return text.toString().strip();
    }

    /** Returns the texts of the {@code param} tags by name. */
    static Map<String, String> params(@Nullable String comment) {
        Map<String, StringBuilder> params = new LinkedHashMap<>();
        StringBuilder current = new StringBuilder();
        for (String written : lines(comment)) {
            String line = written.strip();
            if (line.startsWith("@param ")) {
                String[] words = line.split("\\s+", 3);
                current = new StringBuilder(words.length > 2 ? words[2] : "");
                params.put(words[1], current);
            } else if (line.startsWith("@")) {
                current = new StringBuilder();
            } else if (!line.isEmpty()) {
                current.append(current.length() == 0 ? "" : " ").append(line);
            }
        }
        Map<String, String> texts = new LinkedHashMap<>();
        params.forEach((name, text) -> texts.put(name, text.toString()));
        return texts;
    }

    private static String[] lines(@Nullable String comment) {
        return comment == null
                ? new String[0]
                : comment.lines().map(Docs::outdented).toArray(String[]::new);
    }

    private static String outdented(String line) {
        return (line.startsWith(" ") ? line.substring(1) : line).stripTrailing();
    }
}
