package io.psf.cli;

import io.psf.api.PsException;
import io.psf.builtin.Reports;
import io.psf.cli.Chart.Line;
import io.psf.cli.Chart.Point;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A job as one HTML file that needs no network: what it printed, its charts, what it waited for, and the bytes of its
 * functions. Not thread-safe.
 */
public final class JobReport {
    /** The functions that have a line of their own in the charts: those with the most bytes. */
    private static final int MOST_LINES = 6;

    private final String title;
    private final StringBuilder body = new StringBuilder();

    /**
     * Creates a report.
     *
     * @param subtitle such as what the job ran on
     */
    public JobReport(String title, String subtitle) {
        this.title = title;
        body.append("<h1>").append(Html.escaped(title)).append("</h1>\n").append(Html.paragraph("subtitle", subtitle));
    }

    /**
     * Adds a table with a heading. Its first column is text, and the others are numbers.
     *
     * @param rows as many cells each as there are titles; without rows nothing is added
     */
    public JobReport table(String heading, List<String> titles, List<List<String>> rows) {
        if (!rows.isEmpty()) {
            heading(heading);
            body.append(Html.table(titles, rows));
        }
        return this;
    }

    /** Adds a chart; none if it has no points. */
    public JobReport chart(Chart chart) {
        if (!chart.isEmpty()) {
            heading(chart.title());
            body.append(chart.legend()).append(chart.svg());
        }
        return this;
    }

    private void heading(String text) {
        body.append("<h2>").append(Html.escaped(text)).append("</h2>\n");
    }

    /** Adds what a watch has seen: why the job took its time, the traffic, and the values that workers reported. */
    public JobReport watched(JobWatch watch) {
        scalars(watch.series());
        List<JobWatch.Seen> seen = watch.seen();
        if (seen.size() < 2) {
            body.append(Html.paragraph(
                    "note", "The job was too short to be watched: it was visited " + seen.size() + " times."));
            return this;
        }
        JobWatch.Seen first = seen.get(0);
        JobWatch.Seen last = seen.get(seen.size() - 1);
        JobSample all = last.sums().since(first.sums());
        heading("What it waited for");
        body.append(Html.paragraph(
                "note",
                String.format(
                        Locale.ROOT,
                        "From %.1f s to %.1f s after the start: what the nodes did before the first and after the last visit"
                                + " is not in these numbers.",
                        first.seconds(),
                        last.seconds())));
        body.append(ExplainedJob.of(all).html());
        functions(all.functions());
        rates(seen, all);
        return this;
    }

    private void functions(SortedMap<String, JobSample.Load> functions) {
        table(
                "Functions on the servers",
                List.of("function", "requests", "bytes in", "bytes out", "mean wait", "mean run"),
                byBytes(functions)
                        .map(each -> List.of(
                                each.function(),
                                Chart.number((double) each.requests()),
                                Chart.number((double) each.bytesIn()),
                                Chart.number((double) each.bytesOut()),
                                Units.nanos(each.waitedNanos() / each.requests()),
                                Units.nanos(each.ranNanos() / each.requests())))
                        .toList());
    }

    private static java.util.stream.Stream<JobSample.Load> byBytes(SortedMap<String, JobSample.Load> functions) {
        return functions.values().stream()
                .filter(each -> each.requests() > 0 && !each.function().startsWith("psf.connection."))
                .sorted(Comparator.comparingLong(each -> -each.bytesIn() - each.bytesOut()));
    }

    /** Adds charts of the requests and bytes of the functions with the most bytes. */
    private void rates(List<JobWatch.Seen> seen, JobSample all) {
        List<Line> requests = new ArrayList<>();
        List<Line> bytes = new ArrayList<>();
        for (JobSample.Load function :
                byBytes(all.functions()).limit(MOST_LINES).toList()) {
            List<Point> counts = new ArrayList<>();
            List<Point> volumes = new ArrayList<>();
            for (int i = 1; i < seen.size(); i++) {
                JobSample added = seen.get(i).sums().since(seen.get(i - 1).sums());
                double seconds =
                        Math.max(1e-9, seen.get(i).seconds() - seen.get(i - 1).seconds());
                JobSample.Load load = added.functions().get(function.function());
                if (load != null) {
                    counts.add(new Point(seen.get(i).seconds(), load.requests() / seconds));
                    volumes.add(new Point(seen.get(i).seconds(), (load.bytesIn() + load.bytesOut()) / seconds));
                }
            }
            requests.add(new Line(function.function(), counts));
            bytes.add(new Line(function.function(), volumes));
        }
        chart(new Chart("Requests a second", "time (seconds)", requests));
        chart(new Chart("Bytes a second", "time (seconds)", bytes));
    }

    /** Adds a chart for each tag of what workers reported. */
    private void scalars(List<Reports.Series> series) {
        Map<String, List<Line>> tags = new TreeMap<>();
        for (Reports.Series each : series) {
            List<Point> points = new ArrayList<>();
            for (int i = 0; i < each.steps().length; i++) {
                points.add(new Point(each.steps()[i], each.values()[i]));
            }
            tags.computeIfAbsent(each.tag(), tag -> new ArrayList<>()).add(new Line("worker " + each.worker(), points));
        }
        tags.forEach((tag, lines) -> chart(new Chart(tag, "step", lines)));
    }

    /** Returns the page. */
    String html() {
        return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                + "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>" + Html.escaped(title)
                + "</title>\n<style>\n" + style() + "</style>\n</head>\n<body>\n" + body + "</body>\n</html>\n";
    }

    private static String style() {
        try (InputStream style = JobReport.class.getResourceAsStream("report.css")) {
            return new String(Objects.requireNonNull(style, "report.css").readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Writes the file.
     *
     * @throws PsException with {@code STORAGE} if it cannot be written
     */
    public void write(Path file) {
        try {
            Files.writeString(file, html());
        } catch (IOException e) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    "report: " + file + " (expected: a file that can be written; " + e + ")",
                    e);
        }
    }
}
