package io.psf.examples.plot;

import io.psf.api.PsException;
import io.psf.cli.JobReport;
import io.psf.cli.JobWatch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option of a training that draws its result: the file of the picture. Has the training's output, too. */
public final class PlotOption {
    @Option(
            names = "--plot",
            paramLabel = "PNG",
            description = "where the picture of the evaluations is written (default: ${DEFAULT-VALUE})")
    private Path file;

    @Option(
            names = "--report",
            paramLabel = "HTML",
            description = "where the report of the run is written, a page that needs no network (default: beside the"
                    + " picture)")
    private @Nullable Path page;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    /** Creates the options with the default of the picture. */
    public PlotOption(String file) {
        this.file = Path.of(file);
    }

    public Path file() {
        return file;
    }

    /** True if the command line has the option. */
    public boolean isGiven() {
        return isGiven("--plot");
    }

    private boolean isGiven(String option) {
        return command().commandLine().getParseResult().hasMatchedOption(option);
    }

    /**
     * Checks that the picture and the page can be written, before the training, if the command line says where.
     *
     * @throws PsException with {@code CONFIGURATION} if a folder does not exist or cannot be written
     */
    public void check() {
        check("--plot", file);
        check("--report", page());
    }

    private void check(String option, Path to) {
        if (isGiven(option) && !canBeWritten(to)) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    option + ": " + to + " (expected: a file in a folder that exists and can be written)");
        }
    }

    private static boolean canBeWritten(Path file) {
        Path folder = file.toAbsolutePath().resolveSibling(".").normalize();
        return Files.isDirectory(folder) && Files.isWritable(folder) && !Files.isDirectory(file);
    }

    /**
     * Opens the output of the training.
     *
     * @param total the steps of the whole training
     * @throws PsException as {@link #check}
     */
    public Report report(long total) {
        check();
        return new Report(command().commandLine().getOut(), Report.isOnTerminal(), total);
    }

    /**
     * Draws the evaluations that a report was shown, if any, and says where the picture is. A small Java cannot draw.
     */
    public void draw(Report report, String title, String subtitle) {
        List<Evaluation> evaluations = report.evaluations();
        if (ModuleLayer.boot().findModule("java.desktop").isEmpty()) {
            report.say("plot: none, since this Java has no module java.desktop");
        } else if (!canBeWritten(file)) {
            report.say(line() + " cannot be written; --plot names another file");
        } else if (!evaluations.isEmpty()) {
            Evaluation.draw(evaluations, file, title, subtitle);
            report.say(line());
        }
        write(report, RunPage.of(report, title, subtitle));
    }

    private Path page() {
        String picture = file.toString();
        return page != null ? page : Path.of(picture.replaceFirst("(\\.png)?$", ".html"));
    }

    /** Returns the page of a training, to which more can be added before it is written. */
    public JobReport page(Report report, String title, String subtitle) {
        return RunPage.of(report, title, subtitle);
    }

    /** Adds what was seen of the job to a page, writes it, and says where it is. */
    public void write(Report report, JobReport content) {
        Path to = page();
        String line = "report: " + to.toAbsolutePath().normalize();
        if (!canBeWritten(to)) {
            report.say(line + " cannot be written; --report names another file");
            return;
        }
        JobWatch watch = report.watch();
        (watch == null ? content : content.watched(watch)).write(to);
        report.say(line);
    }

    /** Returns the line that says where the picture is. */
    public String line() {
        return "plot: " + file.toAbsolutePath().normalize();
    }

    private CommandSpec command() {
        if (command == null) {
            throw new IllegalStateException("--plot: not of a command (expected: a mixin of one that picocli runs)");
        }
        return command;
    }
}
