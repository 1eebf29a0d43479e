package io.psf.examples.demo;

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
        return Line.of(WORD)
                .with("rank", rank)
                .with("epoch", epoch)
                .with("step", step)
                .with("of", of)
                .with("loss", loss)
                .with("examples", (double) examples)
                .with("rate", Math.rint(rate))
                .text();
    }

    static Optional<Progress> parse(String line) {
        return Line.read(WORD, line)
                .map(numbers -> new Progress(
                        numbers.whole("rank"),
                        numbers.whole("epoch"),
                        numbers.whole("step"),
                        numbers.whole("of"),
                        numbers.number("loss"),
                        (long) numbers.number("examples"),
                        numbers.number("rate")));
    }
}
