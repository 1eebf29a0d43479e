package io.psf.examples.convnet;

import io.psf.cli.LocalJob;
import io.psf.examples.ClusterOptions;
import io.psf.examples.OnCluster;
import io.psf.examples.Program;
import io.psf.examples.data.Mnist;
import io.psf.examples.plot.Machine;
import io.psf.examples.plot.PlotOption;
import io.psf.examples.plot.Report;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Trains the network. The same program is the job and each of its workers: started alone, it starts a scheduler,
 * servers and itself as the workers.
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
    @Mixin
    private ClusterOptions cluster = new ClusterOptions(2, 2);

    @Mixin
    private PlotOption plot = new PlotOption("convnet.png");

    @Mixin
    private ConvNetOptions options = new ConvNetOptions();

    /** Runs the job, or one worker if the environment names a cluster. */
    public static void main(String[] arguments) {
        Program.main(new ConvNetMain(), arguments);
    }

    @Override
    public Integer call() {
        if (!OnCluster.isStartedAlone()) {
            Mnist data = Mnist.load();
            OnCluster.run(worker -> new ConvNetTraining(worker, data, options).run(System.out::println));
            return CommandLine.ExitCode.OK;
        }
        options.check(cluster.workers());
        Mnist.load(); // fetched once, before there are workers
        long total = options.isSynchronous() ? options.rounds : (long) options.rounds * cluster.workers();
        try (Report report = plot.report(total);
                LocalJob job = cluster.job()
                        .workerMain(ConvNetMain.class, Program.arguments(options))
                        .onLine((node, line) -> report.show(line))
                        .start()) {
            report.examples(ConvNet.BATCH * (options.isSynchronous() ? (long) cluster.workers() : 1));
            report.watch(job);
            job.awaitExit();
            report.end();
            if (job.exitCode() == CommandLine.ExitCode.OK) {
                plot.draw(report, "ConvNet on MNIST", Machine.with(cluster.workers(), cluster.servers()));
            }
            return job.exitCode();
        }
    }
}
