package io.psf.examples.demo;

import io.psf.api.PsException;
import io.psf.cli.LocalJob;
import io.psf.cli.LocalJobBuilder;
import io.psf.cli.LogLine;
import io.psf.examples.ClusterOptions;
import io.psf.examples.Program;
import io.psf.examples.plot.Evaluation;
import io.psf.examples.plot.Machine;
import io.psf.examples.plot.PlotOption;
import io.psf.examples.plot.Report;
import io.psf.runtime.PsCluster;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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
    private static final Pattern MEMBERS = Pattern.compile(
            "scheduler listening on .*|.* joined from .*|.* has rank .*|cluster is ready.*|the dashboard is at .*");

    private static final Pattern JOINED = Pattern.compile(".*worker has rank .* servers over (.*)");

    @Mixin
    private ClusterOptions cluster = new ClusterOptions(2, 2);

    @Option(names = "--embedded", description = "all of them within this JVM")
    private boolean embedded;

    @Option(
            names = "--tls",
            description = "TLS on all connections, with certificates that are made for the demo and deleted after it")
    private boolean tls;

    @Mixin
    private PlotOption plot = new PlotOption("demo.png");

    @Mixin
    private TrainingOptions options = new TrainingOptions();

    /** The reason of the last worker that failed. */
    private volatile String reason = "";

    /** The connections of a worker to the servers, once it has joined; not of an embedded demo. */
    private volatile String connections = "";

    @Override
    public Integer call() {
        if (embedded && (tls || cluster.hasDashboard())) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--embedded, " + (tls ? "--tls" : "--dashboard")
                            + ": both are given (expected: one of them, since nodes of one JVM have no connections)");
        }
        try (Report report = plot.report(0);
                Display display = new Display(report, cluster.workers(), options.epochs())) {
            Optional<Result> result = embedded ? runEmbedded(display) : runProcesses(display);
            if (result.isEmpty()) {
                display.say("the training did not finish" + (reason.isEmpty() ? "" : ": " + reason));
                return ExitCode.SOFTWARE;
            }
            display.end();
            display.keep(result.get());
            plot.draw(report, "Wide and deep on Bank Marketing", Machine.with(cluster.workers(), cluster.servers()));
            display.show(result.get(), connections);
            return ExitCode.OK;
        }
    }

    private Optional<Result> runProcesses(Display display) {
        AtomicReference<Result> result = new AtomicReference<>();
        LocalJobBuilder plan = cluster.job();
        if (tls) {
            plan.tls();
        }
        try (LocalJob job = plan.workerMain(DemoWorker.class, Program.arguments(options))
                .environment(settings())
                .onLine((node, line) -> {
                    Progress.parse(line)
                            .ifPresentOrElse(
                                    display::show,
                                    () -> Result.parse(line)
                                            .ifPresentOrElse(result::set, () -> pass(node, line, display)));
                })
                .start()) {
            display.watch(job);
            job.awaitExit();
            return job.exitCode() == 0 ? Optional.ofNullable(result.get()) : Optional.empty();
        }
    }

    /** Returns the settings of the servers, in addition to the settings of this process. */
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
        Optional<Evaluation> epoch = Evaluation.parse(line);
        if (epoch.isPresent()) {
            display.show(epoch.get());
            return;
        }
        Optional<LogLine> log = LogLine.parse(line);
        Matcher joined = JOINED.matcher(line);
        if (joined.matches()) {
            connections = joined.group(1);
        }
        if (line.startsWith(DemoWorker.FAILED)) {
            reason = line.substring(DemoWorker.FAILED.length());
            display.say("[" + node + "] gave up: " + reason);
        } else if (log.isEmpty()) {
            display.say("[" + node + "] " + line);
        } else if (!log.get().isInformation() || isOfMembers(node, log.get().text())) {
            display.say(line);
        }
    }

    private static boolean isOfMembers(String node, String text) {
        return node.equals("scheduler") && MEMBERS.matcher(text).matches();
    }

    private Optional<Result> runEmbedded(Display display) {
        BankData data = BankData.load(options.realistic());
        ExecutorService threads = Executors.newFixedThreadPool(cluster.workers());
        PsCluster.Builder builder = PsCluster.builder()
                .servers(cluster.servers())
                .workers(cluster.workers())
                .devices(options.devices());
        options.checkpoints().ifPresent(builder::checkpoints);
        try (PsCluster nodes = builder.start()) {
            List<CompletableFuture<Optional<Result>>> trainings = nodes.workers().stream()
                    .map(worker -> CompletableFuture.supplyAsync(
                            () -> {
                                Training training = new Training(worker, data, options);
                                training.whenResumed(display::say);
                                training.whenEvaluated(display::show);
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
