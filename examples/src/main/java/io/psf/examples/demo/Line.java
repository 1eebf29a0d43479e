package io.psf.examples.demo;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What a worker's process tells the one that started it: a word and named numbers, for example
 * {@code PROGRESS epoch=1 loss=0.25}.
 *
 * @param word what the line is about
 * @param numbers by name, in order
 */
record Line(String word, Map<String, Double> numbers) {
    /** The line of a text, if it begins with the word and is one. */
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
            throw new IllegalArgumentException(name + ": not in " + numbers.keySet());
        }
        return number;
    }

    int whole(String name) {
        return (int) number(name);
    }

    /** The line as text: whole numbers as such, others with six digits. */
    String text() {
        StringBuilder text = new StringBuilder(word);
        numbers.forEach((name, number) -> {
            String format = number == Math.rint(number) ? "%.0f" : "%.6f";
            text.append(' ').append(name).append('=').append(String.format(Locale.ROOT, format, number));
        });
        return text.toString();
    }
}
