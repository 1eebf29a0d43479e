package io.psf.examples.movielens;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A picture of the error over time, with a line for each mode. */
final class LossPlot {
    private LossPlot() {}

    /** Writes a PNG file. Needs no display. */
    static void write(List<Measurement> measurements, Path file) {
        System.setProperty("java.awt.headless", "true");
        XYChart chart = new XYChartBuilder()
                .width(900)
                .height(560)
                .title("MovieLens, biased matrix factorization")
                .xAxisTitle("seconds")
                .yAxisTitle("RMSE of the held-out ratings")
                .build();
        Map<String, List<Measurement>> modes = measurements.stream()
                .collect(Collectors.groupingBy(Measurement::mode, LinkedHashMap::new, Collectors.toList()));
        modes.forEach((mode, line) -> chart.addSeries(
                        mode,
                        line.stream().mapToDouble(Measurement::seconds).toArray(),
                        line.stream().mapToDouble(Measurement::rmse).toArray())
                .setMarker(SeriesMarkers.NONE));
        try {
            BitmapEncoder.saveBitmap(chart, file.toString(), BitmapEncoder.BitmapFormat.PNG);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
