package io.psf.examples.movielens;

import io.psf.cli.LocalJob;
import io.psf.examples.ClusterOptions;
import io.psf.examples.OnCluster;
import io.psf.examples.Program;
import io.psf.examples.data.MovieLens;
import io.psf.examples.plot.Machine;
import io.psf.examples.plot.PlotOption;
import io.psf.examples.plot.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Trains the factors. The same program is the job and each of its workers: started alone, it starts a scheduler,
 * servers and itself as the workers.
 */
@Command(
        name = "movielens",
        description = {
            "Trains a matrix factorization on the small MovieLens data set: starts a scheduler, servers and workers,"
                    + " each a process on this machine. The workers keep the rows of users and movies in caches.",
            "bsp: the workers advance in lockstep; ssp: within a bound; asp: independently. Each line has the error"
                    + " of the held-out ratings, and the last one the path of the picture. The ratings are fetched with npm once.",
            "The picture has the error by epoch. With --plot, all three modes are run, one after another, and the picture"
                    + " has their errors over time."
        },
        mixinStandardHelpOptions = true)
public final class MovieLensMain implements Callable<Integer> {
    @Mixin
    private ClusterOptions cluster = new ClusterOptions(1, 2);

    @Mixin
    private PlotOption plot = new PlotOption("movielens.png");

    @Mixin
    private MovieLensOptions options = new MovieLensOptions();

    /** Runs the job, or one worker if the environment names a cluster. */
    public static void main(String[] arguments) {
        Program.main(new MovieLensMain(), arguments);
    }

    @Override
    public Integer call() {
        Split data = Split.of(MovieLens.load()); // fetched once, before there are workers
        if (!OnCluster.isStartedAlone()) {
            OnCluster.run(worker -> new MovieLensTraining(worker, data, options).run(System.out::println));
            return CommandLine.ExitCode.OK;
        }
        List<Measurement> measurements = new ArrayList<>();
        // The bar is of thousandths of the training: there are several measurements in an epoch.
        try (Report report = plot.report(1000)) {
            for (Consistency mode : plot.isGiven() ? List.of(Consistency.values()) : List.of(options.mode)) {
                options.mode = mode;
                try (LocalJob job = cluster.job()
                        .workerMain(MovieLensMain.class, Program.arguments(options))
                        .onLine((node, line) -> show(line, measurements, report))
                        .start()) {
                    report.watch(job);
                    job.awaitExit();
                    report.end();
                    if (job.exitCode() != CommandLine.ExitCode.OK) {
                        return job.exitCode();
                    }
                }
            }
            String machine = Machine.with(cluster.workers(), cluster.servers());
            LossPlot.write(measurements, machine, plot.file());
            report.say(plot.line());
            plot.write(report, LossPlot.page(plot.page(report, LossPlot.TITLE, machine), measurements));
            return CommandLine.ExitCode.OK;
        }
    }

    private void show(String line, List<Measurement> measurements, Report report) {
        Measurement.parse(line)
                .ifPresentOrElse(
                        measurement -> {
                            measurements.add(measurement);
                            report.measured(line, Math.round(1000 * measurement.epoch() / options.epochs));
                        },
                        () -> report.show(line));
    }
}
