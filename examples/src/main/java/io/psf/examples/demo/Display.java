package io.psf.examples.demo;

import io.psf.examples.plot.Report;
import java.io.PrintWriter;
import java.util.Locale;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** Displays a training: a progress bar on a terminal, otherwise the lines alone that {@link #say} is given. Thread-safe. */
final class Display implements AutoCloseable {
    private final PrintWriter out;
    private final boolean isTerminal;
    private final OverallProgress overall;
    private @Nullable ProgressBar bar;

    Display(PrintWriter out, boolean isTerminal, int workers, int epochs) {
        this.out = out;
        this.isTerminal = isTerminal;
        this.overall = new OverallProgress(workers, epochs);
    }

    /** Prints a line unchanged, above the bar if there is one. */
    synchronized void say(String line) {
        out.println(bar == null ? line : Report.CLEAR + line);
        out.flush();
    }

    /** Moves the bar of a terminal. */
    synchronized void show(Progress progress) {
        if (!isTerminal) {
            return;
        }
        overall.add(progress);
        if (bar == null) {
            bar = begun(overall.total(progress.of()));
        }
        bar.setExtraMessage(" " + overall.state());
        bar.stepTo(overall.done());
    }

    private static ProgressBar begun(long total) {
        return new ProgressBarBuilder()
                .setTaskName("training")
                .setInitialMax(total)
                .hideEta()
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(100)
                .setConsumer(new ConsoleProgressBarConsumer(System.out))
                .build();
    }

    /** Displays the result of the training. The last line is for scripts. */
    synchronized void show(Result result) {
        end();
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
    synchronized void end() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }
}
