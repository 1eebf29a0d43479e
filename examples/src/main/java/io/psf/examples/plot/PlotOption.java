package io.psf.examples.plot;

import io.psf.api.PsException;
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

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    /** Creates the option with its default. */
    public PlotOption(String file) {
        this.file = Path.of(file);
    }

    public Path file() {
        return file;
    }

    /** True if the command line has the option. */
    public boolean isGiven() {
        return command().commandLine().getParseResult().hasMatchedOption("--plot");
    }

    /**
     * Checks that the picture can be written, before the training, if the command line says where.
     *
     * @throws PsException with {@code CONFIGURATION} if its folder does not exist or cannot be written
     */
    public void check() {
        if (isGiven() && !canBeWritten()) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--plot: " + file + " (expected: a file in a folder that exists and can be written)");
        }
    }

    private boolean canBeWritten() {
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
        } else if (!canBeWritten()) {
            report.say(line() + " cannot be written; --plot names another file");
        } else if (!evaluations.isEmpty()) {
            Evaluation.draw(evaluations, file, title, subtitle);
            report.say(line());
        }
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
