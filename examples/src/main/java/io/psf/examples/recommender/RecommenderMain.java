package io.psf.examples.recommender;

import io.psf.cli.LocalJob;
import io.psf.cli.LogLine;
import io.psf.examples.OnCluster;
import io.psf.examples.OptionCheck;
import io.psf.examples.demo.BankTable;
import io.psf.examples.demo.Shuffle;
import io.psf.examples.plot.EpochResult;
import io.psf.examples.plot.Machine;
import io.psf.examples.plot.PlotOption;
import io.psf.examples.plot.Report;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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
    private static final long SEED = 17;

    @Option(names = "--workers", paramLabel = "N", description = "how many workers (default: ${DEFAULT-VALUE})")
    private int workers = 2;

    @Option(names = "--servers", paramLabel = "N", description = "how many servers (default: ${DEFAULT-VALUE})")
    private int servers = 2;

    @Option(
            names = "--checkpoints",
            paramLabel = "FOLDER",
            description = "the folder of the checkpoints (default: ${DEFAULT-VALUE})")
    private Path checkpoints = Path.of("recommender-checkpoints");

    @Option(
            names = "--plot",
            paramLabel = "PNG",
            description = "where the picture of loss and AUC by epoch is written (default: ${DEFAULT-VALUE})")
    private Path plot = Path.of("recommender.png");

    @Mixin
    private RecommenderOptions options = new RecommenderOptions();

    /** The last line, with the result. */
    private final List<String> last = new ArrayList<>();

    @Spec
    private @Nullable CommandSpec spec;

    /** Runs the job, or one worker if the environment names a cluster. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new RecommenderMain())
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    System.out.println(failure.getMessage());
                    return CommandLine.ExitCode.SOFTWARE;
                })
                .execute(arguments));
    }

    @Override
    public Integer call() {
        options.check();
        if (!OnCluster.isStartedAlone()) {
            BankTable table = BankTable.load();
            int[] order = Shuffle.order(table.rows().size(), SEED);
            int cut = (int) (order.length * 0.8);
            BankTable train = table.select(Arrays.copyOfRange(order, 0, cut));
            BankTable test = table.select(Arrays.copyOfRange(order, cut, order.length));
            OnCluster.run(worker -> new RecommenderTraining(worker, options, System.out::println).run(train, test));
            return CommandLine.ExitCode.OK;
        }
        if (spec == null) {
            throw new IllegalStateException("call: not run by picocli (expected: as a command)");
        }
        OptionCheck.atLeast("--servers", servers, 1);
        OptionCheck.atLeast("--workers", workers, 1);
        PlotOption.check(plot);
        List<EpochResult> epochs = new ArrayList<>();
        try (Report report = new Report(spec.commandLine().getOut(), Report.isOnTerminal(), options.epochs);
                LocalJob job = LocalJob.builder()
                        .servers(servers)
                        .workers(workers)
                        .workerMain(RecommenderMain.class, options.arguments().toArray(String[]::new))
                        .environment(Map.of(
                                "PSF_CHECKPOINTS", checkpoints.toAbsolutePath().toString()))
                        .onLine((node, line) -> show(line, epochs, report))
                        .start()) {
            job.awaitExit();
            report.end();
            if (job.exitCode() == CommandLine.ExitCode.OK && !epochs.isEmpty()) {
                EpochResult.draw(epochs, plot, "DeepFM on Bank Marketing", Machine.with(workers, servers));
                report.say(PlotOption.line(plot));
            }
            last.forEach(report::say);
            return job.exitCode();
        }
    }

    private void show(String line, List<EpochResult> epochs, Report report) {
        Optional<EpochResult> epoch = EpochResult.parse(line);
        if (epoch.isPresent()) {
            epochs.add(epoch.get());
            report.measured(line, epoch.get().epoch());
        } else if (line.startsWith(RecommenderTraining.AUC)) {
            last.add(line); // after the path of the picture, since scripts read it
        } else if (LogLine.parse(line).filter(LogLine::isInformation).isEmpty()) {
            report.say(line);
        }
    }
}
