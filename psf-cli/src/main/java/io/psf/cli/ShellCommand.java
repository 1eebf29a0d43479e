package io.psf.cli;

import io.psf.api.PsException;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Settings;
import io.psf.runtime.Worker;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Starts jshell with a connected worker. */
@Command(
        name = "shell",
        description = {
            "Starts jshell with a connected worker, \"worker\": of a cluster that waits for its workers, or of a new one"
                    + " in this process.",
            "The packages of psf are imported: Tensors, TensorSpec, Optimizers .. A stub on the class path is called as"
                    + " in a program.",
            "The worker leaves the cluster when the shell ends."
        },
        footer = {
            "%nExample:",
            "  psf shell",
            "  jshell> var w = Tensors.init(worker, TensorSpec.dense(\"w\", 4).optimizer(Optimizers.sgd(0.1)))",
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
        } else if (System.getenv("PSF_CONFIG") == null
                && Settings.names("PSF_SCHEDULER").stream().noneMatch(System.getenv()::containsKey)) {
            PsCluster.Builder builder = PsCluster.builder().servers(servers);
            if (checkpoints != null) {
                builder.checkpoints(checkpoints);
            }
            try (PsCluster cluster = builder.start()) {
                return run(cluster.worker());
            }
        }
        try (Worker worker =
                Worker.connect(Settings.of(System.getenv()).with(own).worker())) {
            return run(worker);
        }
    }

    /** Lets this thread, and the snippets of the shell, see the classes of {@code --classpath}. */
    void useClassPath() {
        Thread.currentThread().setContextClassLoader(ClassPathOption.loader(classPath));
    }

    /** Runs the shell until the user ends it. */
    private int run(Worker worker) throws Exception {
        try {
            return JShell.run(worker, ClassPathOption.entries(classPath));
        } catch (LinkageError e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "java: " + NodeJvm.java() + " has no jshell (expected: that of a JDK, with the module jdk.jshell)",
                    e);
        }
    }
}
