package io.psf.examples.demo;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What a worker's process tells the one that started it: a word and named numbers, on one line. */
final class Line {
    private Line() {}

    /** For example {@code PROGRESS epoch=1 loss=0.25}. */
    static String write(String word, Map<String, ? extends Number> numbers) {
        StringBuilder line = new StringBuilder(word);
        numbers.forEach((name, number) -> {
            boolean isWhole = number instanceof Integer || number instanceof Long;
            line.append(' ')
                    .append(name)
                    .append('=')
                    .append(isWhole ? number.toString() : String.format(Locale.ROOT, "%.6f", number.doubleValue()));
        });
        return line.toString();
    }

    /** The numbers of a line that begins with the word; empty for every other line. */
    static Map<String, Double> read(String word, String line) {
        Map<String, Double> numbers = new LinkedHashMap<>();
        if (line.startsWith(word + " ")) {
            for (String part : line.substring(word.length() + 1).split(" ", -1)) {
                int at = part.indexOf('=');
                if (at < 0) {
                    return Map.of();
                }
                numbers.put(part.substring(0, at), Double.valueOf(part.substring(at + 1)));
            }
        }
        return numbers;
    }
}
