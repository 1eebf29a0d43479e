package io.psf.examples.movielens;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.examples.plot.Picture;
import java.awt.Point;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LossPlotTest {
    private static final Comparator<Point> BY_TIME = Comparator.comparingInt(at -> at.x);

    private static Stream<Measurement> falling(String mode, double from) {
        return IntStream.rangeClosed(0, 10).mapToObj(i -> new Measurement(mode, i, 2 * i, from - 0.01 * i));
    }

    private static int least(List<Point> points, ToIntFunction<Point> of) {
        return points.stream().mapToInt(of).min().orElseThrow();
    }

    private static int most(List<Point> points, ToIntFunction<Point> of) {
        return points.stream().mapToInt(of).max().orElseThrow();
    }

    @Test
    void eachModeHasACurveAndAColorInTheLegend(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("loss.png");
        LossPlot.write(
                Stream.of(falling("bsp", 1.1), falling("ssp", 0.9), falling("asp", 0.7))
                        .flatMap(mode -> mode)
                        .toList(),
                "a machine",
                file);
        Picture picture = Picture.read(file);
        assertThat(picture.image().getWidth()).isEqualTo(900);
        int below = 0;
        for (int hue : Picture.HUES) {
            List<Point> curve = picture.curve(hue);
            assertThat(curve.stream().map(at -> at.x).distinct())
                    .as("columns of %s", hue)
                    .hasSizeGreaterThan(550);
            assertThat(least(curve, at -> at.y)).as("top of %s", hue).isGreaterThan(below);
            below = most(curve, at -> at.y);
            assertThat(below - least(curve, at -> at.y)).as("height of %s", hue).isBetween(50, 150);
            Point first = curve.stream().min(BY_TIME).orElseThrow();
            Point last = curve.stream().max(BY_TIME).orElseThrow();
            assertThat(last.y).as("the error of %s falls", hue).isGreaterThan(first.y + 40);
            assertThat(picture.legend(hue)).as("legend of %s", hue).isNotEmpty();
        }
        assertThat(below).isLessThan(picture.image().getHeight());
    }

    @Test
    void aModeThatWasNotRunHasNoCurve(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("loss.png");
        LossPlot.write(falling("bsp", 1.1).toList(), "a machine", file);
        Picture picture = Picture.read(file);
        assertThat(picture.curve(Picture.HUES.get(0))).isNotEmpty();
        assertThat(picture.curve(Picture.HUES.get(1))).isEmpty();
        assertThat(picture.curve(Picture.HUES.get(2))).isEmpty();
    }
}
