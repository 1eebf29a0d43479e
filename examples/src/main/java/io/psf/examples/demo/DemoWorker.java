package io.psf.examples.demo;

import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * A worker of the demo as a process. What it says on standard output is for the one that started it: a line of
 * {@link Progress} now and then, and from the worker of rank 0 a last one of {@link Result}.
 */
@Command(name = "demo-worker", mixinStandardHelpOptions = true)
public final class DemoWorker implements Callable<Integer> {
    /** Before the reason, on the line of a worker that gave up. */
    static final String FAILED = "FAILED ";

    @Mixin
    private TrainingOptions options = new TrainingOptions();

    private DemoWorker() {}

    /** Joins the cluster that the environment names, trains, and exits. */
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
        int epochs = options.epochs();
        BankData data = BankData.load(options.realistic());
        try (Worker worker = Worker.connect(Settings.fromEnvironment().worker())) {
            new Training(worker, data, options.mode().updates())
                    .run(epochs, progress -> System.out.println(progress.line()))
                    .ifPresent(result -> System.out.println(result.line()));
        }
        return CommandLine.ExitCode.OK;
    }
}
