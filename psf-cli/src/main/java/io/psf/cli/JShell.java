package io.psf.cli;

import io.psf.api.ClusterCaller;
import io.psf.builtin.TensorSummary;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.lang.model.SourceVersion;
import jdk.jshell.tool.JavaShellToolBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Runs jshell with a worker or a client. No command names a type of jshell: a runtime without jdk.jshell has the other
 * commands.
 */
final class JShell {
    /** The constants of the class of tensors: a class has one initializer of at most 64 KB. */
    private static final int MOST_TENSORS = 1000;

    /**
     * The worker or client of the shell. A snippet of jshell can obtain an object of this process by a static method
     * only.
     */
    private static @Nullable ClusterCaller connected;

    private JShell() {}

    /** Returns the worker or client of the shell. */
    static ClusterCaller connected() {
        return Objects.requireNonNull(connected, "worker, client: none (expected: in psf shell)");
    }

    /**
     * Runs the shell until the user ends it.
     *
     * @param classPath the entries that snippets see besides the class path of this JVM
     * @throws LinkageError if this runtime has no jshell
     */
    static int run(ClusterCaller caller, List<String> classPath) throws Exception {
        return run(caller, classPath, JavaShellToolBuilder.builder());
    }

    /** Runs a shell until the user ends it. */
    static int run(ClusterCaller caller, List<String> classPath, JavaShellToolBuilder shell) throws Exception {
        Path startup = Files.createTempFile("psf", ".jsh");
        connected = caller;
        try {
            Files.writeString(
                    startup,
                    """
                    import io.psf.api.*;
                    import io.psf.api.array.*;
                    import io.psf.builtin.*;
                    import io.psf.builtin.dense.*;
                    import io.psf.builtin.optimizer.Schedule;
                    import io.psf.builtin.sparse.*;
                    import io.psf.interchange.*;
                    import io.psf.kvstore.*;
                    import io.psf.runtime.*;
                    import java.time.Duration;
                    """
                            + (caller instanceof Worker
                                    ? "Worker worker = io.psf.cli.Shell.worker();\n"
                                    : "Client client = io.psf.cli.Shell.client();\n")
                            + tensors(caller));
            return shell.start(arguments(startup, classPath).toArray(String[]::new));
        } finally {
            connected = null;
            Files.delete(startup);
        }
    }

    /**
     * Returns the declaration of a class with a constant for each tensor of the cluster, {@code demo_wide} for {@code
     * demo.wide}. One declaration: each snippet takes the shell some 100 ms.
     */
    private static String tensors(ClusterCaller caller) {
        Map<String, String> constants = new LinkedHashMap<>();
        for (TensorSummary tensor : Tensors.list(caller)) {
            String name = tensor.tensor().id().name();
            String constant = name.replaceAll("[./:-]", "_");
            if (constants.size() < MOST_TENSORS && constant.matches("\\w+") && SourceVersion.isName(constant)) {
                constants.putIfAbsent(constant, name);
            }
        }
        return constants.entrySet().stream()
                .map(each ->
                        "static final TensorId %s = TensorId.of(\"%s\");".formatted(each.getKey(), each.getValue()))
                .collect(Collectors.joining(" ", "class tensor { ", " }\n"));
    }

    private static List<String> arguments(Path startup, List<String> classPath) throws IOException {
        List<String> classes = new ArrayList<>(List.of(System.getProperty("java.class.path", "")));
        classes.addAll(classPath);
        return List.of(
                "--execution",
                ShellExecution.NAME,
                "--class-path",
                String.join(System.getProperty("path.separator"), classes),
                "--startup",
                "DEFAULT",
                "--startup",
                startup.toString(),
                "--feedback",
                "concise");
    }
}
