package io.psf.examples.plot;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The curves of a training as a PNG file: on white, with one axis on the left and at most one on the right. */
public final class CurvePlot {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 560;
    /** The height of the title with the subtitle, above the chart. */
    private static final int HEAD = 64;
    /** The number of points up to which each has a mark. */
    private static final int MARKED = 40;

    private static final Color INK = new Color(0x333333);
    private static final Color FAINT = new Color(0xDDDDDD);
    /** Blue, orange and violet: also apart for eyes that do not tell red from green. */
    private static final List<Color> COLORS = List.of(new Color(0x2F55C8), new Color(0xE69B00), new Color(0x7A33B8));

    private CurvePlot() {}

    /**
     * Writes a PNG file. Needs no display.
     *
     * @param subtitle what the training ran on
     * @param across the title of the horizontal axis, with the unit
     * @param curves one to three, with at most two axes
     */
    public static void write(Path file, String title, String subtitle, String across, List<Curve> curves) {
        System.setProperty("java.awt.headless", "true");
        String left = curves.get(0).axis();
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT - HEAD)
                .xAxisTitle(across)
                .build();
        chart.setYAxisGroupTitle(0, left);
        style(chart);
        for (int i = 0; i < curves.size(); i++) {
            Curve curve = curves.get(i);
            XYSeries series = chart.addSeries(
                    curve.name(),
                    curve.points().stream().mapToDouble(Point::x).toArray(),
                    curve.points().stream().mapToDouble(Point::y).toArray());
            series.setMarkerColor(COLORS.get(i));
            series.setMarker(marker(curve));
            series.setLineColor(COLORS.get(i));
            series.setLineStyle(new BasicStroke(2.2f));
            if (!curve.axis().equals(left)) {
                series.setYAxisGroup(1);
                chart.setYAxisGroupTitle(1, curve.axis());
                chart.getStyler().setYAxisGroupPosition(1, Styler.YAxisPosition.Right);
            }
        }
        BufferedImage picture = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = picture.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, WIDTH, HEIGHT);
        graphics.setColor(INK);
        centered(graphics, title, new Font(Font.SANS_SERIF, Font.BOLD, 18), 30);
        centered(graphics, subtitle, new Font(Font.SANS_SERIF, Font.PLAIN, 13), 52);
        graphics.drawImage(BitmapEncoder.getBufferedImage(chart), 0, HEAD, null);
        graphics.dispose();
        try {
            ImageIO.write(picture, "png", file.toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Marker marker(Curve curve) {
        return curve.points().size() > MARKED ? SeriesMarkers.NONE : SeriesMarkers.CIRCLE;
    }

    private static void style(XYChart chart) {
        Font text = new Font(Font.SANS_SERIF, Font.PLAIN, 13);
        XYStyler styler = chart.getStyler();
        styler.setMarkerSize(6);
        styler.setPlotGridLinesColor(FAINT);
        styler.setAxisTitleFont(new Font(Font.SANS_SERIF, Font.PLAIN, 14));
        styler.setAxisTickLabelsFont(text);
        styler.setLegendPosition(Styler.LegendPosition.OutsideE);
        styler.setLegendFont(text);
        styler.setLegendBorderColor(Color.WHITE);
        styler.setLegendBackgroundColor(Color.WHITE);
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setPlotBackgroundColor(Color.WHITE);
        styler.setPlotBorderColor(FAINT);
        styler.setChartFontColor(INK);
    }

    private static void centered(Graphics2D graphics, String text, Font font, int y) {
        graphics.setFont(font);
        graphics.drawString(text, (WIDTH - graphics.getFontMetrics().stringWidth(text)) / 2, y);
    }
}
