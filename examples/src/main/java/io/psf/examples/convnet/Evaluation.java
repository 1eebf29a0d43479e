package io.psf.examples.convnet;

import io.psf.examples.plot.Point;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the weights are after some updates.
 *
 * @param what {@code round} or {@code update}
 * @param update the number of updates so far
 * @param loss the mean cross entropy of the batches since the worker's evaluation before
 * @param accuracy the part of the test images that the network classifies right
 */
record Evaluation(String what, int update, double loss, double accuracy) {
    private static final Pattern TEXT = Pattern.compile("(round|update) (\\d+): loss ([\\d.]+), accuracy ([\\d.]+)");

    /** Parses a line of a worker. Returns empty if it is another line. */
    static Optional<Evaluation> parse(String line) {
        Matcher matcher = TEXT.matcher(line);
        return matcher.matches()
                ? Optional.of(new Evaluation(
                        matcher.group(1),
                        Integer.parseInt(matcher.group(2)),
                        Double.parseDouble(matcher.group(3)),
                        Double.parseDouble(matcher.group(4))))
                : Optional.empty();
    }

    static List<Point> losses(List<Evaluation> evaluations) {
        return evaluations.stream()
                .map(each -> new Point(each.update, each.loss))
                .toList();
    }

    static List<Point> accuracies(List<Evaluation> evaluations) {
        return evaluations.stream()
                .map(each -> new Point(each.update, each.accuracy))
                .toList();
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s %d: loss %.4f, accuracy %.3f", what, update, loss, accuracy);
    }
}
