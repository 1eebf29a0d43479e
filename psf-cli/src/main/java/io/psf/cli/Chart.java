package io.psf.cli;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Lines over a common axis, as a picture for a page.
 *
 * @param title the title
 * @param across the title of the horizontal axis, with the unit
 * @param lines at least one; points that are no finite numbers are left out
 */
public record Chart(String title, String across, List<Line> lines) {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 260;
    private static final int LEFT = 78;
    private static final int RIGHT = 14;
    private static final int TOP = 12;
    private static final int BOTTOM = 44;
    /** The number of lines that have a colour of their own; the next ones are dashed. */
    private static final int COLORS = 4;
    /** The number of points up to which each has a mark. */
    private static final int MARKED = 60;

    public Chart {
        lines = List.copyOf(lines);
    }

    /**
     * A line.
     *
     * @param name its name in the legend
     * @param points its points, from left to right
     */
    public record Line(String name, List<Point> points) {
        public Line {
            points = points.stream()
                    .filter(each -> Double.isFinite(each.x) && Double.isFinite(each.y))
                    .toList();
        }
    }

    /** A point. */
    public record Point(double x, double y) {}

    /** True if no line has a point. */
    boolean isEmpty() {
        return lines.stream().allMatch(each -> each.points.isEmpty());
    }

    /** Returns the picture as an element of HTML, which also has each point's numbers as text. */
    String svg() {
        Scale x = Scale.of(points().map(Point::x).toList(), LEFT, WIDTH - RIGHT, false);
        Scale y = Scale.of(points().map(Point::y).toList(), HEIGHT - BOTTOM, TOP, true);
        StringBuilder svg = new StringBuilder("<svg viewBox=\"0 0 " + WIDTH + " " + HEIGHT
                + "\" role=\"img\" aria-label=\"" + Html.escaped(title) + "\">\n");
        for (double tick : y.ticks()) {
            svg.append("<path class=\"grid\" d=\"M" + LEFT + " " + at(y.of(tick)) + " H" + (WIDTH - RIGHT) + "\"/>");
            svg.append(text("end", LEFT - 6, y.of(tick) + 4, number(tick)));
        }
        for (double tick : x.ticks()) {
            svg.append(text("middle", x.of(tick), HEIGHT - BOTTOM + 16, number(tick)));
        }
        svg.append(text("middle", (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6, across))
                .append('\n');
        for (int i = 0; i < lines.size(); i++) {
            svg.append(line(lines.get(i), i, x, y));
        }
        return svg.append("</svg>\n").toString();
    }

    private Stream<Point> points() {
        return lines.stream().flatMap(each -> each.points.stream());
    }

    private static String line(Line line, int index, Scale x, Scale y) {
        String kind = "l" + index % COLORS + (index < COLORS ? "" : " dashed");
        StringBuilder path = new StringBuilder();
        StringBuilder marks = new StringBuilder();
        for (Point point : line.points) {
            String cx = at(x.of(point.x));
            String cy = at(y.of(point.y));
            path.append(path.isEmpty() ? "M" : " L").append(cx).append(' ').append(cy);
            if (line.points.size() <= MARKED) {
                marks.append("<circle class=\"%s\" cx=\"%s\" cy=\"%s\" r=\"3\"><title>%s</title></circle>"
                        .formatted(
                                kind,
                                cx,
                                cy,
                                Html.escaped(line.name + ": " + number(point.y) + " at " + number(point.x))));
            }
        }
        return "<path class=\"line %s\" d=\"%s\"><title>%s</title></path>%s\n"
                .formatted(kind, path, Html.escaped(line.name), marks);
    }

    /** Returns the names of the lines with their colours, as an element of HTML. */
    String legend() {
        StringBuilder legend = new StringBuilder("<p class=\"legend\">");
        for (int i = 0; i < lines.size(); i++) {
            legend.append("<span class=\"key l" + i % COLORS + (i < COLORS ? "" : " dashed") + "\"></span>"
                    + Html.escaped(lines.get(i).name) + " ");
        }
        return legend.append("</p>\n").toString();
    }

    private static String text(String anchor, double x, double y, String text) {
        return "<text text-anchor=\"%s\" x=\"%s\" y=\"%s\">%s</text>"
                .formatted(anchor, at(x), at(y), Html.escaped(text));
    }

    private static String at(double pixels) {
        return String.format(Locale.ROOT, "%.1f", pixels);
    }

    /** Returns a number as a person reads it, with up to six digits. */
    static String number(double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            return String.format(Locale.ROOT, "%,d", (long) value);
        }
        String text = String.format(Locale.ROOT, Math.abs(value) >= 100 ? "%,.1f" : "%.6g", value);
        return text.contains("e") || !text.contains(".") ? text : text.replaceAll("\\.?0+$", "");
    }

    /** Maps numbers to pixels. */
    private record Scale(double least, double most, double from, double to) {
        /** Returns a scale that has all numbers; with zero if they are counts, so that heights compare. */
        static Scale of(List<Double> values, double from, double to, boolean zero) {
            double least =
                    values.stream().mapToDouble(Double::doubleValue).min().orElse(0);
            double most = values.stream().mapToDouble(Double::doubleValue).max().orElse(1);
            least = zero && least > 0 && least < most / 2 ? 0 : least;
            return new Scale(least, most > least ? most : least + 1, from, to);
        }

        double of(double value) {
            return from + (value - least) / (most - least) * (to - from);
        }

        /** Returns some round numbers within the scale. */
        List<Double> ticks() {
            double raw = (most - least) / 5;
            double power = Math.pow(10, Math.floor(Math.log10(raw)));
            double step =
                    raw <= power ? power : raw <= 2 * power ? 2 * power : raw <= 5 * power ? 5 * power : 10 * power;
            double first = Math.ceil(least / step);
            return Stream.iterate(first, each -> each * step <= most + step / 1e6, each -> each + 1)
                    .map(each -> each * step)
                    .map(each -> Math.rint(each / step * 1e6) / 1e6 * step)
                    .toList();
        }
    }
}
