package io.psf.examples.demo;

import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * A worker process of the demo. Its standard output is for the parent process: a line of {@link Progress} from time to
 * time, and a final line of {@link Result} from the worker of rank 0.
 */
@Command(name = "demo-worker", mixinStandardHelpOptions = true)
public final class DemoWorker implements Callable<Integer> {
    /** The prefix of the line with a worker's reason of failure. */
    static final String FAILED = "FAILED ";

    @Mixin
    private TrainingOptions options = new TrainingOptions();

    private DemoWorker() {}

    /** Joins the cluster that the environment names, trains, then exits. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new DemoWorker())
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    System.out.println(FAILED + failure.getMessage());
                    return CommandLine.ExitCode.SOFTWARE;
                })
                .execute(arguments));
    }

    @Override
    public Integer call() {
        BankData data = BankData.load(options.realistic());
        try (Worker worker = Worker.connect(Settings.fromEnvironment().worker())) {
            Training training = new Training(worker, data, options);
            training.whenResumed(System.out::println);
            training.whenEvaluated(System.out::println);
            training.run(options.epochs(), progress -> System.out.println(progress.line()))
                    .ifPresent(result -> System.out.println(result.line()));
        }
        return CommandLine.ExitCode.OK;
    }
}
