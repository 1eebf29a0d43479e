package io.psf.examples.demo;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the training led to.
 *
 * @param auc area under the ROC curve on the test part
 * @param logLoss mean log loss on the test part
 * @param rate examples a second, over all workers
 * @param pushed bytes that all workers sent
 * @param pulled bytes that all workers received
 */
record Result(double auc, double logLoss, double rate, long pushed, long pulled) {
    private static final String WORD = "RESULT";

    String line() {
        Map<String, Number> numbers = new LinkedHashMap<>();
        numbers.put("auc", auc);
        numbers.put("logloss", logLoss);
        numbers.put("rate", Math.round(rate));
        numbers.put("pushed", pushed);
        numbers.put("pulled", pulled);
        return Line.write(WORD, numbers);
    }

    static Optional<Result> parse(String line) {
        Map<String, Double> numbers = Line.read(WORD, line);
        return numbers.isEmpty()
                ? Optional.empty()
                : Optional.of(new Result(
                        numbers.get("auc"),
                        numbers.get("logloss"),
                        numbers.get("rate"),
                        numbers.get("pushed").longValue(),
                        numbers.get("pulled").longValue()));
    }
}
