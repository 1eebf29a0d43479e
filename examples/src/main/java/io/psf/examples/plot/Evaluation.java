package io.psf.examples.plot;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The quality of a model after an epoch, a round or an update.
 *
 * @param unit {@code epoch}, {@code round} or {@code update}
 * @param at the number of epochs, rounds or updates so far
 * @param loss the mean loss of the batches since the evaluation before, of the worker that reports
 * @param metric the name of the metric of the test part, such as {@code AUC}
 * @param value the metric
 */
public record Evaluation(String unit, int at, double loss, String metric, double value) {
    private static final Pattern TEXT =
            Pattern.compile("(epoch|round|update) (\\d+): loss ([\\d.]+), (\\w+) ([\\d.]+)");

    /** Parses a line of a worker. Returns empty if it is another line. */
    public static Optional<Evaluation> parse(String line) {
        Matcher matcher = TEXT.matcher(line);
        return matcher.matches()
                ? Optional.of(new Evaluation(
                        matcher.group(1),
                        Integer.parseInt(matcher.group(2)),
                        Double.parseDouble(matcher.group(3)),
                        matcher.group(4),
                        Double.parseDouble(matcher.group(5))))
                : Optional.empty();
    }

    /**
     * Writes the picture of the loss and the metric.
     *
     * @param evaluations at least one, in any order
     */
    public static void draw(List<Evaluation> evaluations, Path file, String title, String subtitle) {
        Evaluation first = evaluations.get(0);
        CurvePlot.write(
                file,
                title,
                subtitle,
                first.unit + "s",
                List.of(
                        curve("loss", "mean loss of the training part (nats)", evaluations, Evaluation::loss),
                        curve(first.metric, first.metric + " of the test part", evaluations, Evaluation::value)));
    }

    private static Curve curve(
            String name, String axis, List<Evaluation> evaluations, ToDoubleFunction<Evaluation> of) {
        return new Curve(
                name,
                axis,
                evaluations.stream()
                        .sorted(Comparator.comparingInt(Evaluation::at))
                        .map(each -> new Point(each.at, of.applyAsDouble(each)))
                        .toList());
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s %d: loss %.4f, %s %.4f", unit, at, loss, metric, value);
    }
}
