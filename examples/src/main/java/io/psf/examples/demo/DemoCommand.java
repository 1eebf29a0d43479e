package io.psf.examples.demo;

import io.psf.api.PsException;
import io.psf.cli.LocalJob;
import io.psf.cli.LogLine;
import io.psf.examples.OptionCheck;
import io.psf.examples.plot.EpochResult;
import io.psf.examples.plot.Machine;
import io.psf.examples.plot.PlotOption;
import io.psf.examples.plot.Report;
import io.psf.runtime.PsCluster;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Trains the click model on a cluster that it starts, and prints the quality of the model. */
@Command(
        name = "demo",
        description = {
            "Trains a wide-and-deep click model on the Bank Marketing data: starts a scheduler, servers and workers,"
                    + " each a process on this machine. The parameters and their optimizers are on the servers.",
            "The last line is the area under the ROC curve on the test part: AUC 0.xxx."
        },
        mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
    private static final Pattern MEMBERS =
            Pattern.compile("scheduler listening on .*|.* joined from .*|.* has rank .*|cluster is ready.*");

    @Option(names = "--workers", paramLabel = "N", description = "how many workers (default: ${DEFAULT-VALUE})")
    private int workers = 2;

    @Option(names = "--servers", paramLabel = "N", description = "how many servers (default: ${DEFAULT-VALUE})")
    private int servers = 2;

    @Option(names = "--embedded", description = "all of them within this JVM")
    private boolean embedded;

    @Option(
            names = "--plot",
            paramLabel = "PNG",
            description = "where the picture of loss and AUC by epoch is written (default: ${DEFAULT-VALUE})")
    private Path plot = Path.of("demo.png");

    @Mixin
    private TrainingOptions options = new TrainingOptions();

    @Spec
    private @Nullable CommandSpec spec;

    /** The epochs that worker 0 has evaluated. */
    private final List<EpochResult> evaluated = new CopyOnWriteArrayList<>();

    /** The reason of the last worker that failed. */
    private volatile String reason = "";

    @Override
    public Integer call() {
        OptionCheck.atLeast("--workers", workers, 1);
        OptionCheck.atLeast("--servers", servers, 1);
        int epochs = options.epochs();
        options.devices();
        options.cache();
        PlotOption.check(plot);
        if (spec == null) {
            throw new IllegalStateException("call: not run by picocli (expected: as a command)");
        }
        try (Display display = new Display(spec.commandLine().getOut(), Report.isOnTerminal(), workers, epochs)) {
            Optional<Result> result = embedded ? runEmbedded(display) : runProcesses(display);
            if (result.isEmpty()) {
                display.say("the training did not finish" + (reason.isEmpty() ? "" : ": " + reason));
                return ExitCode.SOFTWARE;
            }
            display.end();
            if (!evaluated.isEmpty()) {
                EpochResult.draw(evaluated, plot, "Wide and deep on Bank Marketing", Machine.with(workers, servers));
                display.say(PlotOption.line(plot));
            }
            display.show(result.get());
            return ExitCode.OK;
        }
    }

    private Optional<Result> runProcesses(Display display) {
        AtomicReference<Result> result = new AtomicReference<>();
        try (LocalJob job = LocalJob.builder()
                .servers(servers)
                .workers(workers)
                .workerMain(DemoWorker.class, options.arguments().toArray(String[]::new))
                .environment(settings())
                .onLine((node, line) -> {
                    Progress.parse(line)
                            .ifPresentOrElse(
                                    display::show,
                                    () -> Result.parse(line)
                                            .ifPresentOrElse(result::set, () -> pass(node, line, display)));
                })
                .start()) {
            job.awaitExit();
            return job.exitCode() == 0 ? Optional.ofNullable(result.get()) : Optional.empty();
        }
    }

    /** Returns the settings of the servers, in addition to those of this process. */
    private Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        for (int device : options.devices()) {
            settings.put("PSF_DEVICE", String.valueOf(device));
        }
        options.checkpoints().ifPresent(folder -> settings.put("PSF_CHECKPOINTS", folder.toString()));
        return settings;
    }

    /** Displays a node's line if it reports a member that joins, a warning or an error. Other log lines are dropped. */
    private void pass(String node, String line, Display display) {
        Optional<EpochResult> epoch = EpochResult.parse(line);
        if (epoch.isPresent()) {
            evaluated(epoch.get(), display);
            return;
        }
        Optional<LogLine> log = LogLine.parse(line);
        if (line.startsWith(DemoWorker.FAILED)) {
            reason = line.substring(DemoWorker.FAILED.length());
            display.say("[" + node + "] gave up: " + reason);
        } else if (log.isEmpty()) {
            display.say("[" + node + "] " + line);
        } else if (!log.get().isInformation() || isOfMembers(node, log.get().text())) {
            display.say(line);
        }
    }

    private void evaluated(EpochResult epoch, Display display) {
        evaluated.add(epoch);
        display.say(epoch.toString());
    }

    private static boolean isOfMembers(String node, String text) {
        return node.equals("scheduler") && MEMBERS.matcher(text).matches();
    }

    private Optional<Result> runEmbedded(Display display) {
        BankData data = BankData.load(options.realistic());
        ExecutorService threads = Executors.newFixedThreadPool(workers);
        PsCluster.Builder builder =
                PsCluster.builder().servers(servers).workers(workers).devices(options.devices());
        options.checkpoints().ifPresent(builder::checkpoints);
        try (PsCluster cluster = builder.start()) {
            List<CompletableFuture<Optional<Result>>> trainings = cluster.workers().stream()
                    .map(worker -> CompletableFuture.supplyAsync(
                            () -> {
                                Training training = new Training(worker, data, options);
                                training.whenResumed(display::say);
                                training.whenEvaluated(epoch -> evaluated(epoch, display));
                                return training.run(options.epochs(), display::show);
                            },
                            threads))
                    .toList();
            List<Optional<Result>> results =
                    trainings.stream().map(CompletableFuture::join).toList();
            return results.get(0);
        } catch (CompletionException e) {
            throw e.getCause() instanceof PsException failure ? failure : e;
        } finally {
            threads.shutdown();
        }
    }
}
