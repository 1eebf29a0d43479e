package io.psf.examples.demo;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How far one worker is.
 *
 * @param rank the worker
 * @param epoch the epoch it is in, from 1
 * @param step steps done in this epoch
 * @param of steps of an epoch
 * @param loss mean log loss over the last steps
 * @param examples examples seen since the beginning
 * @param rate examples a second
 */
record Progress(int rank, int epoch, int step, int of, double loss, long examples, double rate) {
    private static final String WORD = "PROGRESS";

    /** Steps done since the beginning. */
    int steps() {
        return (epoch - 1) * of + step;
    }

    String line() {
        Map<String, Number> numbers = new LinkedHashMap<>();
        numbers.put("rank", rank);
        numbers.put("epoch", epoch);
        numbers.put("step", step);
        numbers.put("of", of);
        numbers.put("loss", loss);
        numbers.put("examples", examples);
        numbers.put("rate", Math.round(rate));
        return Line.write(WORD, numbers);
    }

    static Optional<Progress> parse(String line) {
        Map<String, Double> numbers = Line.read(WORD, line);
        return numbers.isEmpty()
                ? Optional.empty()
                : Optional.of(new Progress(
                        numbers.get("rank").intValue(),
                        numbers.get("epoch").intValue(),
                        numbers.get("step").intValue(),
                        numbers.get("of").intValue(),
                        numbers.get("loss"),
                        numbers.get("examples").longValue(),
                        numbers.get("rate")));
    }
}
