package io.psf.examples.movielens;

import io.psf.cli.Chart;
import io.psf.cli.JobReport;
import io.psf.examples.plot.Curve;
import io.psf.examples.plot.CurvePlot;
import io.psf.examples.plot.Point;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A picture of the error by epoch of one mode, or over time with a line for each of several. */
final class LossPlot {
    static final String TITLE = "MovieLens, biased matrix factorization";

    private static final String ERROR = "RMSE of the held-out ratings (stars)";

    private LossPlot() {}

    /** Adds the errors over time to a page, with a line for each mode. */
    static JobReport page(JobReport page, List<Measurement> measurements) {
        List<Chart.Line> lines = byMode(measurements).entrySet().stream()
                .map(mode -> new Chart.Line(
                        mode.getKey(),
                        mode.getValue().stream()
                                .map(each -> new Chart.Point(each.seconds(), each.rmse()))
                                .toList()))
                .toList();
        return page.chart(new Chart(ERROR, "time (seconds)", lines))
                .table(
                        "Measurements",
                        List.of("mode", "epoch", "after", "RMSE"),
                        measurements.stream()
                                .map(each -> List.of(
                                        each.mode(),
                                        String.format(Locale.ROOT, "%.2f", each.epoch()),
                                        String.format(Locale.ROOT, "%.2f s", each.seconds()),
                                        String.format(Locale.ROOT, "%.4f", each.rmse())))
                                .toList());
    }

    private static Map<String, List<Measurement>> byMode(List<Measurement> measurements) {
        return measurements.stream()
                .collect(Collectors.groupingBy(Measurement::mode, LinkedHashMap::new, Collectors.toList()));
    }

    /** Writes a PNG file. Needs no display. */
    static void write(List<Measurement> measurements, String subtitle, Path file) {
        Map<String, List<Measurement>> modes = byMode(measurements);
        boolean one = modes.size() == 1;
        List<Curve> curves = modes.entrySet().stream()
                .map(mode -> new Curve(
                        mode.getKey(),
                        ERROR,
                        mode.getValue().stream()
                                .map(each -> new Point(one ? each.epoch() : each.seconds(), each.rmse()))
                                .toList()))
                .toList();
        CurvePlot.write(file, TITLE, subtitle, one ? "epochs" : "time (seconds)", curves);
    }
}
