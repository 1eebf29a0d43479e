package io.psf.examples.recommender;

import io.psf.cli.LocalJob;
import io.psf.examples.ClusterOptions;
import io.psf.examples.OnCluster;
import io.psf.examples.Program;
import io.psf.examples.demo.BankParts;
import io.psf.examples.plot.Machine;
import io.psf.examples.plot.PlotOption;
import io.psf.examples.plot.Report;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Trains the recommender. The same program is the job and each of its workers: started alone, it starts a scheduler,
 * servers and itself as the workers.
 */
@Command(
        name = "recommender",
        description = {
            "Trains DeepFM on the Bank Marketing data: starts a scheduler, servers and workers, each a process on this"
                    + " machine. Continues at the newest checkpoint if a job before was killed.",
            "The last line is the area under the ROC curve on the test part: AUC 0.xxxx."
        },
        mixinStandardHelpOptions = true)
public final class RecommenderMain implements Callable<Integer> {
    @Mixin
    private ClusterOptions cluster = new ClusterOptions(2, 2);

    @Option(
            names = "--checkpoints",
            paramLabel = "FOLDER",
            description = "the folder of the checkpoints (default: ${DEFAULT-VALUE})")
    private Path checkpoints = Path.of("recommender-checkpoints");

    @Mixin
    private PlotOption plot = new PlotOption("recommender.png");

    @Mixin
    private RecommenderOptions options = new RecommenderOptions();

    /** Runs the job, or one worker if the environment names a cluster. */
    public static void main(String[] arguments) {
        Program.main(new RecommenderMain(), arguments);
    }

    @Override
    public Integer call() {
        if (!OnCluster.isStartedAlone()) {
            BankParts data = BankParts.load();
            OnCluster.run(worker -> new RecommenderTraining(worker, options, System.out::println).run(data));
            return CommandLine.ExitCode.OK;
        }
        List<String> last = new ArrayList<>();
        try (Report report = plot.report(options.epochs);
                LocalJob job = cluster.job()
                        .workerMain(RecommenderMain.class, Program.arguments(options))
                        .environment(Map.of(
                                "PSF_CHECKPOINTS", checkpoints.toAbsolutePath().toString()))
                        .onLine((node, line) -> {
                            if (line.startsWith(RecommenderTraining.AUC)) {
                                last.add(line); // after the path of the picture, since scripts read it
                            } else {
                                report.show(line);
                            }
                        })
                        .start()) {
            report.examples(BankParts.load().train().rows().size());
            report.watch(job);
            job.awaitExit();
            report.end();
            if (job.exitCode() == CommandLine.ExitCode.OK) {
                plot.draw(report, "DeepFM on Bank Marketing", Machine.with(cluster.workers(), cluster.servers()));
            }
            last.forEach(report::say);
            return job.exitCode();
        }
    }
}
