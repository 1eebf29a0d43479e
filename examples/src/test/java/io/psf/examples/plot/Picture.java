package io.psf.examples.plot;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.Color;
import java.awt.Point;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;

/**
 * The curves of a picture, by their hues.
 *
 * @param image the picture
 */
public record Picture(BufferedImage image) {
    /** The hues of the first, second and third curve in degrees: blue, orange and violet. */
    public static final List<Integer> HUES = List.of(227, 40, 270);

    public static Picture read(Path file) throws IOException {
        return new Picture(ImageIO.read(file.toFile()));
    }

    /** Returns the pixels of a hue in the left four fifths, which the legend is not in. */
    public List<Point> curve(int hue) {
        return pixels(hue, 0, image.getWidth() * 4 / 5);
    }

    /** Returns the pixels of a hue in the right eighth, in which the legend is. */
    public List<Point> legend(int hue) {
        return pixels(hue, image.getWidth() * 7 / 8, image.getWidth());
    }

    /** Checks that the picture is white, and has two curves of some length, each in the legend, too. */
    public void requireTwoCurves() {
        assertThat(new Color(image.getRGB(2, 2))).isEqualTo(Color.WHITE);
        for (int hue : HUES.subList(0, 2)) {
            assertThat(curve(hue).stream().map(at -> at.x).distinct())
                    .as("columns of %s", hue)
                    .hasSizeGreaterThan(300);
            assertThat(legend(hue)).as("legend of %s", hue).isNotEmpty();
        }
        assertThat(curve(HUES.get(2))).isEmpty();
    }

    private List<Point> pixels(int hue, int left, int right) {
        return IntStream.range(left, right)
                .boxed()
                .flatMap(x -> IntStream.range(0, image.getHeight()).mapToObj(y -> new Point(x, y)))
                .filter(at -> hasHue(new Color(image.getRGB(at.x, at.y)), hue))
                .toList();
    }

    private static boolean hasHue(Color color, int hue) {
        float[] hsb = Color.RGBtoHSB(color.getRed(), color.getGreen(), color.getBlue(), null);
        return hsb[1] > 0.3 && Math.abs(360 * hsb[0] - hue) < 12;
    }
}
