package io.psf.examples.movielens;

import io.psf.examples.plot.Curve;
import io.psf.examples.plot.CurvePlot;
import io.psf.examples.plot.Point;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A picture of the error by epoch of one mode, or over time with a line for each of several. */
final class LossPlot {
    private LossPlot() {}

    /** Writes a PNG file. Needs no display. */
    static void write(List<Measurement> measurements, String subtitle, Path file) {
        Map<String, List<Measurement>> modes = measurements.stream()
                .collect(Collectors.groupingBy(Measurement::mode, LinkedHashMap::new, Collectors.toList()));
        boolean one = modes.size() == 1;
        List<Curve> curves = modes.entrySet().stream()
                .map(mode -> new Curve(
                        mode.getKey(),
                        "RMSE of the held-out ratings (stars)",
                        mode.getValue().stream()
                                .map(each -> new Point(one ? each.epoch() : each.seconds(), each.rmse()))
                                .toList()))
                .toList();
        CurvePlot.write(
                file, "MovieLens, biased matrix factorization", subtitle, one ? "epochs" : "time (seconds)", curves);
    }
}
