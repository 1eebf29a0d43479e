package io.psf.examples.plot;

import io.psf.cli.JobWatch;
import io.psf.cli.LocalJob;
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
    private final long begin = System.nanoTime();
    private final List<Timed> evaluations = new ArrayList<>();
    private final List<Point> rates = new ArrayList<>();
    private final List<List<String>> figures = new ArrayList<>();
    private long total;
    /** The examples of all workers between two evaluations whose numbers are one apart; 0 if they are not known. */
    private long examples;

    private @Nullable JobWatch watch;
    private @Nullable ProgressBar bar;

    /**
     * An evaluation, and when it was shown.
     *
     * @param seconds the time since the output was opened
     */
    record Timed(double seconds, Evaluation evaluation) {}

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

    /**
     * Shows a line of a node: an evaluation, which is kept, a line of a program, or of a log a warning or
     * the address of a dashboard.
     */
    public synchronized void show(String line) {
        Optional<Evaluation> evaluation = Evaluation.parse(line);
        if (evaluation.isPresent()) {
            add(evaluation.get());
            measured(line, evaluation.get().at());
        } else if (LogLine.parse(line).filter(Report::isOfProgress).isEmpty()) {
            say(line);
        }
    }

    private static boolean isOfProgress(LogLine line) {
        return line.isInformation() && !line.text().startsWith("the dashboard is at ");
    }

    /** Keeps an evaluation, and prints it as a line. */
    public synchronized void say(Evaluation evaluation) {
        add(evaluation);
        say(evaluation.toString());
    }

    private void add(Evaluation evaluation) {
        double seconds = seconds();
        if (examples > 0) {
            Timed last = evaluations.isEmpty()
                    ? new Timed(0, new Evaluation("", 0, 0, "", 0))
                    : evaluations.get(evaluations.size() - 1);
            double of = seconds - last.seconds;
            if (of > 0 && evaluation.at() > last.evaluation.at()) {
                rates.add(new Point(seconds, examples * (evaluation.at() - last.evaluation.at()) / of));
            }
        }
        evaluations.add(new Timed(seconds, evaluation));
    }

    private double seconds() {
        return (System.nanoTime() - begin) / 1e9;
    }

    /** Sets how many examples all workers take between two evaluations whose numbers are one apart. */
    public synchronized void examples(long count) {
        examples = count;
    }

    /** Keeps the examples that all workers take in a second now, for the page. */
    public synchronized void rate(double perSecond) {
        rates.add(new Point(seconds(), perSecond));
    }

    /** Keeps a figure of the result, for the page. */
    public synchronized void figure(String name, String value) {
        figures.add(List.of(name, value));
    }

    /** Watches a job until the output is closed or another one is watched, for the page. */
    public void watch(LocalJob job) {
        JobWatch begun = job.watch();
        synchronized (this) {
            endWatch();
            watch = begun;
        }
    }

    /** Returns what was seen of the last job that is watched; null for none. */
    synchronized @Nullable JobWatch watch() {
        return watch;
    }

    private void endWatch() {
        if (watch != null) {
            watch.close();
        }
    }

    /** Returns the evaluations so far, with their times. */
    synchronized List<Timed> timed() {
        return List.copyOf(evaluations);
    }

    /** Returns the examples a second so far, by time. */
    synchronized List<Point> rates() {
        return List.copyOf(rates);
    }

    /** Returns the names and values of the figures so far. */
    synchronized List<List<String>> figures() {
        return List.copyOf(figures);
    }

    /** Returns the evaluations so far. */
    public synchronized List<Evaluation> evaluations() {
        return evaluations.stream().map(Timed::evaluation).toList();
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
    public synchronized void close() {
        end();
        endWatch();
    }

    /** Ends the bar. Lines may follow. */
    public synchronized void end() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }
}
