package io.psf.examples.convnet;

import io.psf.cli.LocalJob;
import io.psf.cli.LogLine;
import io.psf.examples.OnCluster;
import io.psf.examples.OptionCheck;
import io.psf.examples.data.Mnist;
import io.psf.examples.plot.Curve;
import io.psf.examples.plot.CurvePlot;
import io.psf.examples.plot.Machine;
import io.psf.examples.plot.PlotOption;
import io.psf.examples.plot.Report;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
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
 * Trains the network. The same program is the job and each of its workers: started alone, it starts a scheduler, servers
 * and itself as the workers.
 */
@Command(
        name = "convnet",
        description = {
            "Trains a small convolutional network on MNIST: starts a scheduler, servers and workers, each a process on"
                    + " this machine. The weights and their update rule are on the servers.",
            "Evaluates the weights on the test images after every 10 updates. The images are fetched with npm once."
        },
        mixinStandardHelpOptions = true)
public final class ConvNetMain implements Callable<Integer> {
    @Option(names = "--workers", paramLabel = "N", description = "how many workers (default: ${DEFAULT-VALUE})")
    private int workers = 2;

    @Option(names = "--servers", paramLabel = "N", description = "how many servers (default: ${DEFAULT-VALUE})")
    private int servers = 2;

    @Option(
            names = "--plot",
            paramLabel = "PNG",
            description = "where the picture of loss and accuracy by round is written (default: ${DEFAULT-VALUE})")
    private Path plot = Path.of("convnet.png");

    @Mixin
    private ConvNetOptions options = new ConvNetOptions();

    @Spec
    private @Nullable CommandSpec spec;

    /** Runs the job, or one worker if the environment names a cluster. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new ConvNetMain())
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    System.out.println(failure.getMessage());
                    return CommandLine.ExitCode.SOFTWARE;
                })
                .execute(arguments));
    }

    @Override
    public Integer call() {
        boolean alone = OnCluster.isStartedAlone();
        options.check(alone ? workers : Integer.MAX_VALUE);
        Mnist data = Mnist.load();
        if (!alone) {
            OnCluster.run(worker -> new ConvNetTraining(worker, data, options).run(System.out::println));
            return CommandLine.ExitCode.OK;
        }
        if (spec == null) {
            throw new IllegalStateException("call: not run by picocli (expected: as a command)");
        }
        OptionCheck.atLeast("--servers", servers, 1);
        OptionCheck.atLeast("--workers", workers, 1);
        PlotOption.check(plot);
        long total = options.isSynchronous() ? options.rounds : (long) options.rounds * workers;
        List<Evaluation> evaluations = new ArrayList<>();
        try (Report report = new Report(spec.commandLine().getOut(), Report.isOnTerminal(), total);
                LocalJob job = LocalJob.builder()
                        .servers(servers)
                        .workers(workers)
                        .workerMain(ConvNetMain.class, options.arguments().toArray(String[]::new))
                        .onLine((node, line) -> show(line, evaluations, report))
                        .start()) {
            job.awaitExit();
            report.end();
            if (job.exitCode() == CommandLine.ExitCode.OK && !evaluations.isEmpty()) {
                draw(evaluations);
                report.say(PlotOption.line(plot));
            }
            return job.exitCode();
        }
    }

    private static void show(String line, List<Evaluation> evaluations, Report report) {
        Optional<Evaluation> evaluation = Evaluation.parse(line);
        if (evaluation.isPresent()) {
            evaluations.add(evaluation.get());
            report.measured(line, evaluation.get().update());
        } else if (LogLine.parse(line).filter(LogLine::isInformation).isEmpty()) {
            report.say(line);
        }
    }

    private void draw(List<Evaluation> evaluations) {
        List<Evaluation> inOrder = evaluations.stream()
                .sorted(Comparator.comparingInt(Evaluation::update))
                .toList();
        CurvePlot.write(
                plot,
                "ConvNet on MNIST",
                Machine.with(workers, servers),
                options.isSynchronous() ? "rounds" : "updates",
                List.of(
                        new Curve("loss", "mean cross entropy of the training images", Evaluation.losses(inOrder)),
                        new Curve("accuracy", "accuracy of the test images", Evaluation.accuracies(inOrder))));
    }
}
