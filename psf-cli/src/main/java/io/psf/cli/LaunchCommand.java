package io.psf.cli;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.runtime.Settings;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** Runs a user's program as the workers of a cluster on this machine. Blocks until all processes have ended. */
@Command(
        name = LaunchCommand.NAME,
        description = {
            "Runs a program as the workers of a cluster on this machine: starts a scheduler, servers and workers,"
                    + " each a process, and ends them all when one fails.",
            "With PSF_SERVER_RETURN and PSF_CHECKPOINTS, a server that fails is started again, and the job goes on.",
            "A worker finds its settings in the environment: Worker.connect(Settings.fromEnvironment().worker()).",
            "With --lifetime service, the cluster goes on without workers, until psf stop or SIGTERM ends it.",
            "The exit code is the first failed worker's, 1 if a worker ended before it had joined, or 0."
        },
        footer = {"%nExample:", "  psf launch --workers 4 --classpath app.jar -- java -cp app.jar Main"},
        mixinStandardHelpOptions = true)
final class LaunchCommand implements Callable<Integer> {
    static final String NAME = "launch";

    @Option(
            names = "--scheduler",
            paramLabel = "HOST:PORT",
            description = "where the scheduler listens; default: 127.0.0.1 and any free port (PSF_SCHEDULER)")
    private @Nullable String scheduler;

    @Option(names = "--servers", paramLabel = "N", defaultValue = "1", description = "default: ${DEFAULT-VALUE}")
    private int servers;

    @Option(
            names = "--workers",
            paramLabel = "N[+]",
            defaultValue = "1",
            description =
                    "how many run the program, and a plus if more may join from elsewhere; default: ${DEFAULT-VALUE}",
            converter = Workers.class)
    private Workers workers = new Workers();

    @Option(
            names = "--lifetime",
            paramLabel = "job|service",
            description =
                    "service: the cluster outlives its workers, until psf stop ends it; default: job (PSF_LIFETIME)")
    private @Nullable String lifetime;

    @Option(
            names = "--device",
            paramLabel = "N,..",
            description = "the numbers of the devices that each server uses; default: none (PSF_DEVICE)")
    private @Nullable String device;

    @Option(
            names = "--tls",
            description = "TLS on all connections, with certificates that are made for the job and deleted after it")
    private boolean tls;

    @Option(
            names = "--report",
            paramLabel = "HTML",
            description =
                    "where a report of the job is written once it has ended, a page that needs no network: what it"
                            + " waited for, its traffic, and what the workers reported with Reports.scalar; default: none")
    private @Nullable Path report;

    @Option(
            names = {"--classpath", "-cp"},
            paramLabel = "PATH",
            defaultValue = "",
            description = "where the servers and the scheduler find your handlers: jars and folders, separated by '"
                    + "${sys:path.separator}'. Not taken from the program's own -cp; without it they have the builtin"
                    + " functions alone")
    private String classPath = "";

    @Parameters(
            arity = "0..*",
            paramLabel = "COMMAND",
            description = "the program and its arguments, after --; a service needs none")
    private List<String> command = new ArrayList<>();

    /** A number of workers, and whether more may join. */
    private static final class Workers implements ITypeConverter<Workers> {
        private static final Pattern NUMBER = Pattern.compile("(\\d{1,9})(\\+?)");

        private int count = 1;
        private boolean more;

        @Override
        public Workers convert(String text) {
            Matcher matcher = NUMBER.matcher(text);
            if (!matcher.matches()) {
                throw new TypeConversionException(
                        text + " (expected: a whole number, and a plus if more may join, such as 2+)");
            }
            Workers workers = new Workers();
            workers.count = Integer.parseInt(matcher.group(1));
            workers.more = !matcher.group(2).isEmpty();
            return workers;
        }
    }

    @Override
    public Integer call() {
        Settings settings = settings(System.getenv());
        boolean isService = settings.isService();
        if (command.isEmpty() && !isService) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "COMMAND: not set (expected: the program and its arguments, after --; see psf launch --help)");
        }
        if (workers.count == 0 && (!isService || !command.isEmpty())) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--workers: 0 (expected: at least 1 for a COMMAND; 0 for a service without one)");
        }
        if (report != null && !Files.isDirectory(report.toAbsolutePath().resolveSibling("."))) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--report: " + report + " (expected: a file in a folder that exists)");
        }
        LocalJobBuilder plan = LocalJob.builder().servers(servers).workers(Math.max(1, workers.count));
        InetSocketAddress address = settings.schedulerAddress();
        if (address != null) {
            plan.scheduler(Member.address(address.getHostString(), address.getPort()));
        }
        if (workers.more) {
            plan.moreWorkers();
        }
        if (isService) {
            plan.asService();
        }
        if (settings.awaitsServers()) {
            plan.replaceServers();
        }
        if (tls) {
            plan.tls();
        }
        try (LocalJob job = plan.classPath(ClassPathOption.entries(classPath))
                .workerCommand(command)
                .environment(device == null ? Map.of() : Map.of("PSF_DEVICE", device))
                .start()) {
            if (report == null) {
                job.awaitExit();
            } else {
                watch(job, report);
            }
            return job.exitCode();
        }
    }

    private void watch(LocalJob job, Path file) {
        try (JobWatch watch = job.watch()) {
            job.awaitExit();
            new JobReport("psf launch", servers + " servers, " + workers.count + " workers")
                    .watched(watch)
                    .write(file);
        }
    }

    private Settings settings(Map<String, String> environment) {
        Map<String, String> options = new HashMap<>();
        if (scheduler != null) {
            options.put("PSF_SCHEDULER", scheduler);
        }
        if (lifetime != null) {
            options.put("PSF_LIFETIME", lifetime);
        }
        return Settings.of(environment).with(options);
    }
}
