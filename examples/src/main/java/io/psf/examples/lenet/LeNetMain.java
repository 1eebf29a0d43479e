package io.psf.examples.lenet;

import io.psf.examples.Count;
import io.psf.examples.OnCluster;
import io.psf.examples.Program;
import io.psf.examples.data.Mnist;
import io.psf.examples.nn.Batches;
import io.psf.examples.plot.Evaluation;
import io.psf.examples.plot.Machine;
import io.psf.examples.plot.PlotOption;
import io.psf.examples.plot.Report;
import io.psf.runtime.Worker;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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
    @Option(
            names = "--epochs",
            paramLabel = "N",
            converter = Count.class,
            description = "how often each worker goes through its images (default: ${DEFAULT-VALUE})")
    private int epochs = 2;

    @Option(
            names = "--steps",
            paramLabel = "N",
            converter = Count.class,
            description = "the number of steps after which the training ends at the latest (default: no limit)")
    private int steps = Integer.MAX_VALUE;

    @Mixin
    private PlotOption plot = new PlotOption("lenet.png");

    /** Plays the role that the environment names. */
    public static void main(String[] arguments) {
        Program.main(new LeNetMain(), arguments);
    }

    @Override
    public Integer call() {
        plot.check();
        OnCluster.play(this::train);
        return CommandLine.ExitCode.OK;
    }

    private void train(Worker worker) {
        Mnist data = Mnist.load();
        LeNetTraining training = new LeNetTraining(worker);
        try (Report report = plot.report(training.steps(data.train(), epochs, steps))) {
            report.examples(data.train().size());
            training.run(data.train(), epochs, steps, report::measured, (epoch, loss) -> {
                if (worker.rank() == 0) {
                    report.say(new Evaluation("epoch", epoch, loss, "accuracy", accuracy(training, data)));
                }
            });
            worker.barrier();
            report.end();
            if (worker.rank() == 0) {
                plot.draw(report, "LeNet-5 on MNIST", Machine.with(worker.workers(), worker.servers()));
                report.say("accuracy: " + String.format(Locale.ROOT, "%.4f", accuracy(training, data)));
            }
        }
    }

    private static double accuracy(LeNetTraining training, Mnist data) {
        return Batches.accuracy(training.network(), data.test(), LeNet.BORDER, LeNetTraining.BATCH);
    }
}
