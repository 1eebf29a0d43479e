package io.psf.examples.plot;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a model is after an epoch.
 *
 * @param epoch the number of the epoch, from 1
 * @param loss the mean loss of the epoch's batches, of the worker that reports
 * @param metric the name of the metric of the test part, such as {@code AUC}
 * @param value the metric
 */
public record EpochResult(int epoch, double loss, String metric, double value) {
    private static final Pattern TEXT = Pattern.compile("epoch (\\d+): loss ([\\d.]+), (\\w+) ([\\d.]+)");

    /** Parses a line of a worker. Returns empty if it is another line. */
    public static Optional<EpochResult> parse(String line) {
        Matcher matcher = TEXT.matcher(line);
        return matcher.matches()
                ? Optional.of(new EpochResult(
                        Integer.parseInt(matcher.group(1)),
                        Double.parseDouble(matcher.group(2)),
                        matcher.group(3),
                        Double.parseDouble(matcher.group(4))))
                : Optional.empty();
    }

    /** Writes the picture of the loss and the metric by epoch. */
    public static void draw(List<EpochResult> epochs, Path file, String title, String subtitle) {
        String metric = epochs.get(0).metric();
        CurvePlot.write(
                file,
                title,
                subtitle,
                "epochs",
                List.of(
                        new Curve(
                                "loss",
                                "mean loss of the training part (nats)",
                                epochs.stream()
                                        .map(each -> new Point(each.epoch, each.loss))
                                        .toList()),
                        new Curve(
                                metric,
                                metric + " of the test part",
                                epochs.stream()
                                        .map(each -> new Point(each.epoch, each.value))
                                        .toList())));
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "epoch %d: loss %.4f, %s %.4f", epoch, loss, metric, value);
    }
}
