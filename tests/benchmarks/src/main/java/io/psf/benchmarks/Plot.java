package io.psf.benchmarks;

import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Plots the ratios as SVG. Each case is a bar from 1, the floor, on a logarithmic axis. The whisker is the spread, the
 * mark is the goal.
 */
final class Plot {
    private static final int ROW = 18;
    private static final int TOP = 58;
    private static final int LEFT = 380;
    private static final int WIDTH = 520;
    private static final int RIGHT = 160;
    private static final double LEAST = 0.02;
    private static final double MOST = 50;

    private Plot() {}

    /** Returns the plot of results that were measured on a machine. */
    static String svg(List<Result> results, String machine, LocalDate date) {
        List<Result> bars = results.stream().filter(Result::hasFloor).toList();
        int height = TOP + ROW * bars.size() + 10;
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\""
                        + " font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
                        + "<text x=\"10\" y=\"16\" font-size=\"13\">psf over its floors; black marks are goals:"
                        + " green met, red missed, amber undecided, grey without a goal</text>\n",
                LEFT + WIDTH + RIGHT,
                height));
        svg.append(text(10, 34, machine + ", " + date));
        for (double tick : new double[] {0.1, 0.2, 0.5, 1, 2, 5, 10}) {
            svg.append(line(x(tick), TOP - 6, x(tick), height, tick == 1 ? "#666" : "#ddd", 1))
                    .append(text(x(tick) - 8, TOP - 10, Report.number(tick)));
        }
        for (int i = 0; i < bars.size(); i++) {
            bar(svg, bars.get(i), TOP + ROW * i);
        }
        return svg.append("</svg>\n").toString();
    }

    private static String colour(Goal.@Nullable Verdict verdict) {
        return verdict == null
                ? "#9ab"
                : switch (verdict) {
                    case MET -> "#3a7";
                    case MISSED -> "#c54";
                    case UNDECIDED -> "#ca4";
                };
    }

    private static void bar(StringBuilder svg, Result result, int y) {
        Goal goal = result.line().goal();
        double from = Math.min(x(1), x(result.ratio()));
        double to = Math.max(x(1), x(result.ratio()));
        int middle = y + ROW / 2;
        svg.append(text(10, middle + 4, result.line().name()));
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
                from,
                y + 3,
                Math.max(1, to - from),
                ROW - 6,
                colour(result.verdict())));
        svg.append(line(x(result.least()), middle, x(result.greatest()), middle, "#333", 1));
        String label = Report.number(result.ratio());
        if (goal != null) {
            label += " (goal " + goal.text(result.line().unit()) + ")";
            if (goal.of() == Goal.Of.RATIO) {
                svg.append(line(x(goal.bound()), y + 1, x(goal.bound()), y + ROW - 1, "#000", 2));
            }
        }
        svg.append(text(LEFT + WIDTH + 10, middle + 4, label));
    }

    /** Returns the x coordinate of a ratio; a ratio beyond the axis is at its end. */
    private static double x(double ratio) {
        double within = Math.min(MOST, Math.max(LEAST, ratio));
        return LEFT + WIDTH * Math.log(within / LEAST) / Math.log(MOST / LEAST);
    }

    private static String line(double x1, int y1, double x2, int y2, String colour, int width) {
        return String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\" stroke-width=\"%d\"/>\n",
                x1,
                y1,
                x2,
                y2,
                colour,
                width);
    }

    private static String text(double x, int y, String text) {
        String escaped = text.replace("&", "&amp;").replace("<", "&lt;");
        return String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%d\">%s</text>\n", x, y, escaped);
    }
}
