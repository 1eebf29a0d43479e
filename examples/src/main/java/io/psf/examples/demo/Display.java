package io.psf.examples.demo;

import io.psf.examples.plot.Evaluation;
import io.psf.examples.plot.Report;
import java.util.Locale;

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
        row("test AUC", "%.4f", result.auc());
        row("log loss", "%.4f", result.logLoss());
        row("examples a second", "%,.0f", result.rate());
        row("bytes pushed", "%,d", result.pushed());
        row("bytes pulled", "%,d", result.pulled());
        say(String.format(Locale.ROOT, "AUC %.3f", result.auc()));
    }

    private void row(String name, String format, Number value) {
        say(String.format(Locale.ROOT, "  %-20s%15s", name, String.format(Locale.ROOT, format, value)));
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
