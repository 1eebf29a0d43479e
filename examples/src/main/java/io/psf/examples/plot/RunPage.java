package io.psf.examples.plot;

import io.psf.cli.Chart;
import io.psf.cli.JobReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The page of a training: the same figures as it has printed, their charts, and what its nodes did. */
final class RunPage {
    private RunPage() {}

    /** Returns the page without what the nodes did. */
    static JobReport of(Report report, String title, String subtitle) {
        List<Report.Timed> evaluations = report.timed();
        JobReport page = new JobReport(title, subtitle).table("Result", List.of("", "value"), report.figures());
        if (!evaluations.isEmpty()) {
            Evaluation first = evaluations.get(0).evaluation();
            chart(page, "Mean loss of the training part", "loss", evaluations, Evaluation::loss);
            chart(page, first.metric() + " of the test part", first.metric(), evaluations, Evaluation::value);
            page.table(
                    "Evaluations",
                    List.of(first.unit(), "after", "loss", first.metric()),
                    evaluations.stream().map(RunPage::row).toList());
        }
        return page.chart(new Chart(
                "Examples a second",
                "time (seconds)",
                List.of(new Chart.Line(
                        "all workers",
                        report.rates().stream().map(RunPage::point).toList()))));
    }

    private static Chart.Point point(Point point) {
        return new Chart.Point(point.x(), point.y());
    }

    private static void chart(
            JobReport page,
            String title,
            String name,
            List<Report.Timed> evaluations,
            ToDoubleFunction<Evaluation> of) {
        List<Chart.Point> points = new ArrayList<>();
        for (Report.Timed each : evaluations) {
            points.add(new Chart.Point(each.seconds(), of.applyAsDouble(each.evaluation())));
        }
        page.chart(new Chart(title, "time (seconds)", List.of(new Chart.Line(name, points))));
    }

    private static List<String> row(Report.Timed timed) {
        Evaluation each = timed.evaluation();
        return List.of(
                String.valueOf(each.at()),
                String.format(Locale.ROOT, "%.1f s", timed.seconds()),
                String.format(Locale.ROOT, "%.4f", each.loss()),
                String.format(Locale.ROOT, "%.4f", each.value()));
    }
}
