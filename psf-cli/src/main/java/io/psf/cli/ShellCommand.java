package io.psf.cli;

import io.psf.api.ClusterCaller;
import io.psf.api.PsException;
import io.psf.runtime.Client;
import io.psf.runtime.Guest;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Starts jshell with a connected worker or client. */
@Command(
        name = "shell",
        description = {
            "Starts jshell with a connected worker, \"worker\", of a cluster that waits for its workers or of a new one in"
                    + " this process, or with a client, \"client\", of a cluster that is complete.",
            "The packages of psf are imported: Tensors, TensorSpec, Optimizers .. A stub on the class path is called as"
                    + " in a program.",
            "The worker or client leaves the cluster when the shell ends."
        },
        footer = {
            "%nExample:",
            "  psf shell",
            "  jshell> var spec = TensorSpec.dense(\"w\", 4).optimizer(Optimizers.sgd(0.1))",
            "  jshell> var w = Tensors.init(worker, spec)",
            "  jshell> Tensors.push(worker, w, new float[] {1, 2, 3, 4}).await()",
            "  jshell> Tensors.pull(worker, w)"
        },
        mixinStandardHelpOptions = true)
final class ShellCommand implements Callable<Integer> {
    @Option(
            names = "--scheduler",
            paramLabel = "HOST:PORT",
            description = "where the scheduler of a cluster listens (PSF_SCHEDULER, or the names of MXNet and"
                    + " MindSpore); default: a new cluster")
    private @Nullable String scheduler;

    @Option(
            names = "--client",
            description = "connect as a client, once the cluster is complete; default: if it is complete")
    private boolean client;

    @Option(
            names = "--servers",
            paramLabel = "N",
            defaultValue = "2",
            description = "the servers of a new cluster; default: ${DEFAULT-VALUE}")
    private int servers;

    @Option(
            names = "--checkpoints",
            paramLabel = "FOLDER",
            description = "where the servers of a new cluster save; default: nowhere")
    private @Nullable Path checkpoints;

    @Option(
            names = {"--classpath", "-cp"},
            paramLabel = "PATH",
            defaultValue = "",
            description = "your functions and their stubs: jars and folders, separated by '${sys:path.separator}'")
    private String classPath = "";

    @Override
    public Integer call() throws Exception {
        useClassPath();
        Map<String, String> own = new HashMap<>(Map.of("PSF_ROLE", "worker"));
        if (scheduler != null) {
            own.put("PSF_SCHEDULER", scheduler);
        } else if (!client
                && System.getenv("PSF_CONFIG") == null
                && Settings.names("PSF_SCHEDULER").stream().noneMatch(System.getenv()::containsKey)) {
            PsCluster.Builder builder = PsCluster.builder().servers(servers);
            if (checkpoints != null) {
                builder.checkpoints(checkpoints);
            }
            try (PsCluster cluster = builder.start()) {
                return run(cluster.worker());
            }
        }
        WorkerConfig config = Settings.of(System.getenv()).with(own).worker();
        if (client || isComplete(config)) {
            try (Client client = Client.connect(config)) {
                return run(client);
            }
        }
        try (Worker worker = Worker.connect(config)) {
            return run(worker);
        }
    }

    /** Returns true if a cluster has all of its nodes: no rank of a worker is free there. */
    private static boolean isComplete(WorkerConfig config) {
        try (Guest guest = Guest.visit(config)) {
            return guest.cluster().plan().servers() > 0;
        } catch (PsException e) {
            return false; // it waits for nodes, or it is not there yet: connecting waits, and says what is wrong
        }
    }

    /** Lets this thread, and the snippets of the shell, see the classes of {@code --classpath}. */
    void useClassPath() {
        Thread.currentThread().setContextClassLoader(ClassPathOption.loader(classPath));
    }

    /** Runs the shell until the user ends it. */
    private int run(ClusterCaller caller) throws Exception {
        try {
            return JShell.run(caller, ClassPathOption.entries(classPath));
        } catch (LinkageError e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "java: " + NodeJvm.java() + " has no jshell (expected: a JDK, with the module jdk.jshell)",
                    e);
        }
    }
}
