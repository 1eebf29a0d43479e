package io.psf.examples.demo;

import java.util.Optional;

/**
 * The progress of one worker.
 *
 * @param rank the worker's rank
 * @param epoch the current epoch, from 1
 * @param step the number of steps done in this epoch
 * @param of the number of steps of an epoch
 * @param loss the mean log loss over the last steps
 * @param examples the number of examples since the start
 * @param rate examples per second
 */
record Progress(int rank, int epoch, int step, int of, double loss, long examples, double rate) {
    private static final String WORD = "PROGRESS";

    /** Returns the number of steps since the start. */
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
