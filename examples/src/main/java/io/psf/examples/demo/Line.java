package io.psf.examples.demo;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A message of a worker process to its parent process: a word and named numbers, for example
 * {@code PROGRESS epoch=1 loss=0.25}.
 *
 * @param word the kind of message
 * @param numbers the numbers by name, in order
 */
record Line(String word, Map<String, Double> numbers) {
    /** Parses a text. Returns empty unless it starts with the word and is a valid line. */
    static Optional<Line> read(String word, String text) {
        if (!text.startsWith(word + " ")) {
            return Optional.empty();
        }
        Map<String, Double> numbers = new LinkedHashMap<>();
        for (String part : text.substring(word.length() + 1).split(" ", -1)) {
            int at = part.indexOf('=');
            if (at < 0) {
                return Optional.empty();
            }
            numbers.put(part.substring(0, at), Double.valueOf(part.substring(at + 1)));
        }
        return Optional.of(new Line(word, numbers));
    }

    static Line of(String word) {
        return new Line(word, new LinkedHashMap<>());
    }

    /** Appends a number. */
    Line with(String name, double number) {
        numbers.put(name, number);
        return this;
    }

    double number(String name) {
        Double number = numbers.get(name);
        if (number == null) {
            throw new IllegalArgumentException("number: " + name + " (expected: one of " + numbers.keySet() + ")");
        }
        return number;
    }

    int whole(String name) {
        return (int) number(name);
    }

    /** Returns the line as text: integers without decimals, other numbers with six decimals. */
    String text() {
        StringBuilder text = new StringBuilder(word);
        numbers.forEach((name, number) -> {
            String format = number == Math.rint(number) ? "%.0f" : "%.6f";
            text.append(' ').append(name).append('=').append(String.format(Locale.ROOT, format, number));
        });
        return text.toString();
    }
}
