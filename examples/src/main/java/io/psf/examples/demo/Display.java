package io.psf.examples.demo;

import io.psf.cli.LocalJob;
import io.psf.examples.plot.Evaluation;
import io.psf.examples.plot.Report;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Displays a training: a progress bar on a terminal, otherwise the lines alone that {@link #say} is given. Thread-safe.
 */
final class Display implements AutoCloseable {
    private final Report report;
    private final OverallProgress overall;

    Display(Report report, int workers, int epochs) {
        this.report = report;
        this.overall = new OverallProgress(workers, epochs);
    }

    /** Prints a line unchanged, above the bar if there is one. */
    void say(String line) {
        report.say(line);
    }

    /** Prints an evaluation as a line, and keeps it for the picture. */
    void show(Evaluation evaluation) {
        report.say(evaluation);
    }

    /** Moves the bar of a terminal. */
    synchronized void show(Progress progress) {
        overall.add(progress);
        report.total(overall.total(progress.of()));
        report.at(overall.done(), overall.state());
        report.rate(overall.rate());
    }

    /** Watches the job, for the page. */
    void watch(LocalJob job) {
        report.watch(job);
    }

    /** Keeps the result of the training, for the page. */
    void keep(Result result) {
        figures(result).forEach(report::figure);
    }

    /**
     * Displays the result of the training. The last line is for scripts.
     *
     * @param connections what connects workers and servers; empty in one JVM
     */
    void show(Result result, String connections) {
        end();
        if (!connections.isEmpty()) {
            say("  connections: " + connections);
        }
        figures(result).forEach((name, value) -> say(String.format(Locale.ROOT, "  %-20s%15s", name, value)));
        say(String.format(Locale.ROOT, "AUC %.3f", result.auc()));
    }

    private static Map<String, String> figures(Result result) {
        Map<String, String> figures = new LinkedHashMap<>();
        figures.put("test AUC", String.format(Locale.ROOT, "%.4f", result.auc()));
        figures.put("log loss", String.format(Locale.ROOT, "%.4f", result.logLoss()));
        figures.put("examples a second", String.format(Locale.ROOT, "%,.0f", result.rate()));
        figures.put("bytes pushed", String.format(Locale.ROOT, "%,d", result.pushed()));
        figures.put("bytes pulled", String.format(Locale.ROOT, "%,d", result.pulled()));
        return figures;
    }

    @Override
    public void close() {
        end();
    }

    /** Ends the bar. Lines may follow. */
    void end() {
        report.end();
    }
}
