package io.psf.examples.demo;

import java.util.Optional;

/**
 * The result of the training.
 *
 * @param auc the area under the ROC curve on the test part
 * @param logLoss the mean log loss on the test part
 * @param rate examples per second, over all workers
 * @param pushed the number of bytes that all workers sent
 * @param pulled the number of bytes that all workers received
 */
record Result(double auc, double logLoss, double rate, long pushed, long pulled) {
    private static final String WORD = "RESULT";

    String line() {
        return Line.of(WORD)
                .with("auc", auc)
                .with("logloss", logLoss)
                .with("rate", Math.rint(rate))
                .with("pushed", (double) pushed)
                .with("pulled", (double) pulled)
                .text();
    }

    static Optional<Result> parse(String line) {
        return Line.read(WORD, line)
                .map(numbers -> new Result(
                        numbers.number("auc"),
                        numbers.number("logloss"),
                        numbers.number("rate"),
                        (long) numbers.number("pushed"),
                        (long) numbers.number("pulled")));
    }
}
