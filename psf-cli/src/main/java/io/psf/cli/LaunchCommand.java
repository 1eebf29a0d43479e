package io.psf.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a user's program as the workers of a cluster on this machine. Blocks until all processes have ended. */
@Command(
        name = LaunchCommand.NAME,
        description = {
            "Runs a program as the workers of a cluster on this machine: starts a scheduler, servers and workers,"
                    + " each a process, and ends them all when one fails.",
            "A worker finds its settings in the environment: Worker.connect(Settings.fromEnvironment().worker()).",
            "The exit code is that of the first worker that failed, 1 if one ended before it had joined, or 0."
        },
        footer = {"%nExample:", "  psf launch --servers 2 --workers 4 --classpath app.jar -- java -cp app.jar Main"},
        mixinStandardHelpOptions = true)
final class LaunchCommand implements Callable<Integer> {
    static final String NAME = "launch";

    @Option(names = "--servers", paramLabel = "N", defaultValue = "1", description = "default: ${DEFAULT-VALUE}")
    private int servers;

    @Option(names = "--workers", paramLabel = "N", defaultValue = "1", description = "default: ${DEFAULT-VALUE}")
    private int workers;

    @Option(
            names = "--device",
            paramLabel = "N,..",
            description = "the numbers of the devices that each server uses; default: none (PSF_DEVICE)")
    private @Nullable String device;

    @Option(
            names = {"--classpath", "-cp"},
            paramLabel = "PATH",
            defaultValue = "",
            description = "where the servers and the scheduler find your handlers: jars and folders, separated by '"
                    + "${sys:path.separator}'. Not taken from the program's own -cp; without it they have the builtin"
                    + " functions alone")
    private String classPath = "";

    @Parameters(arity = "1..*", paramLabel = "COMMAND", description = "the program and its arguments, after --")
    private List<String> command = new ArrayList<>();

    @Override
    public Integer call() {
        try (LocalJob job = LocalJob.builder()
                .servers(servers)
                .workers(workers)
                .classPath(ClassPathOption.entries(classPath))
                .workerCommand(command)
                .environment(device == null ? Map.of() : Map.of("PSF_DEVICE", device))
                .start()) {
            job.awaitExit();
            return job.exitCode();
        }
    }
}
