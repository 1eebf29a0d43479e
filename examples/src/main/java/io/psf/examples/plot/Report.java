package io.psf.examples.plot;

import io.psf.cli.LogLine;
import java.io.Console;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * The output of a training: a progress bar on a terminal, otherwise a line for each measurement, without carriage
 * returns. Thread-safe.
 */
public final class Report implements AutoCloseable {
    /** Returns to the beginning of the line and clears it, where the bar is. */
    public static final String CLEAR = "\r\u001b[K";

    private final PrintWriter out;
    private final boolean isTerminal;
    private final List<Evaluation> evaluations = new ArrayList<>();
    private long total;
    private @Nullable ProgressBar bar;

    /**
     * Creates the output of a training.
     *
     * @param total the steps of the whole training
     */
    public Report(PrintWriter out, boolean isTerminal, long total) {
        this.out = out;
        this.isTerminal = isTerminal;
        this.total = total;
    }

    /** True if the output of this process is a terminal. */
    @SuppressWarnings("SystemConsoleNull") // isTerminal(..) covers later JDKs
    public static boolean isOnTerminal() {
        Console console = System.console();
        String terminal = System.getenv("TERM");
        return console != null && isTerminal(console) && terminal != null && !terminal.equals("dumb");
    }

    /**
     * True if the console is a terminal. From JDK 22 on a console may exist without a terminal;
     * {@code Console.isTerminal} tells.
     */
    private static boolean isTerminal(Console console) {
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    /** Shows a line of a node: an evaluation, which is kept, a line of a program, or a warning of a log. */
    public synchronized void show(String line) {
        Optional<Evaluation> evaluation = Evaluation.parse(line);
        if (evaluation.isPresent()) {
            evaluations.add(evaluation.get());
            measured(line, evaluation.get().at());
        } else if (LogLine.parse(line).filter(LogLine::isInformation).isEmpty()) {
            say(line);
        }
    }

    /** Keeps an evaluation, and prints it as a line. */
    public synchronized void say(Evaluation evaluation) {
        evaluations.add(evaluation);
        say(evaluation.toString());
    }

    /** Returns the evaluations so far. */
    public synchronized List<Evaluation> evaluations() {
        return List.copyOf(evaluations);
    }

    /** Sets the steps of the whole training, before the bar is moved. */
    public synchronized void total(long steps) {
        total = steps;
    }

    /** Shows a measurement: beside the bar, or as a line. */
    public synchronized void measured(String line, long done) {
        if (isTerminal) {
            at(done, line);
        } else {
            say(line);
        }
    }

    /** Moves the bar of a terminal. */
    public synchronized void at(long done, String message) {
        if (!isTerminal) {
            return;
        }
        if (bar == null) {
            bar = new ProgressBarBuilder()
                    .setTaskName("training")
                    .setInitialMax(total)
                    .hideEta()
                    .setStyle(ProgressBarStyle.ASCII)
                    .setUpdateIntervalMillis(100)
                    .setConsumer(new ConsoleProgressBarConsumer(System.out))
                    .build();
        }
        bar.setExtraMessage(" " + message);
        bar.stepTo(Math.min(done, total));
    }

    /** Prints a line, above the bar if there is one. */
    public synchronized void say(String line) {
        out.println(bar == null ? line : CLEAR + line);
        out.flush();
    }

    @Override
    public void close() {
        end();
    }

    /** Ends the bar. Lines may follow. */
    public synchronized void end() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }
}
