package io.psf.cli;

import io.psf.api.PsException;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.ServedFunction;
import java.io.File;
import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Writes typed functions of Python. The package of Python writes them ({@code psf.stubs}): this command finds the
 * package, and the schemas of a class path.
 */
@Command(
        name = "stubs",
        description = {
            "Writes typed functions of Python, for editors and mypy: your functions on the servers of a running cluster,"
                    + " on a class path, or of schema files. Runs python3, with numpy."
        },
        footer = {
            "%nExamples:",
            "  psf stubs --python typed --classpath app.jar",
            "  psf stubs --python typed --scheduler 127.0.0.1:4080"
        },
        mixinStandardHelpOptions = true)
final class StubsCommand implements Callable<Integer> {
    /** The system property with the path of the package, which the script sets; without it, Python's own path. */
    private static final String PACKAGE = "psf.python";

    private static final String BUILTIN = "psf.";

    @Option(
            names = "--python",
            paramLabel = "DIR",
            required = true,
            description = "the folder of the modules: acme.axpy is Axpy of DIR/acme/axpy.py")
    private String folder = "";

    @Option(
            names = {"--classpath", "-cp"},
            paramLabel = "PATH",
            defaultValue = "",
            description = "where your handlers are: jars and folders, separated by '${sys:path.separator}'")
    private String classPath = "";

    @Option(
            names = "--scheduler",
            paramLabel = "HOST:PORT",
            description = "where the scheduler of the cluster listens (PSF_SCHEDULER)")
    private @Nullable String scheduler;

    @Parameters(arity = "0..*", paramLabel = "FILE", description = "schema files, which the build of a function writes")
    private List<String> files = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        if (Stream.of(!classPath.isEmpty(), scheduler != null, !files.isEmpty())
                        .filter(given -> given)
                        .count()
                > 1) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--classpath, --scheduler, FILE: several (expected: at most one of them)");
        }
        if (classPath.isEmpty()) {
            return run(files);
        }
        Path schemas = Files.createTempDirectory("psf-schemas");
        try {
            return run(write(schemas));
        } finally {
            try (Stream<Path> written = Files.list(schemas)) {
                for (Path each : written.toList()) {
                    Files.delete(each);
                }
            }
            Files.delete(schemas);
        }
    }

    /** Writes the schemas of the functions on the class path. Returns the files. */
    private List<String> write(Path schemas) throws IOException {
        List<String> written = new ArrayList<>();
        try (URLClassLoader loader = ClassPathOption.loader(classPath)) {
            for (ServedFunction each : ServedFunction.on(loader)) {
                FunctionInfo info = each.info();
                if (!info.name().startsWith(BUILTIN)) {
                    Path file = schemas.resolve(info.name() + ".schema");
                    written.add(Files.write(file, info.schemas()).toString());
                }
            }
        }
        if (written.isEmpty()) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--classpath: " + classPath
                            + " has no function (expected: handlers of your own; see psf functions)");
        }
        return written;
    }

    /** Runs the package of Python; returns its exit code. */
    private int run(List<String> schemas) throws IOException {
        List<String> command = new ArrayList<>(List.of("python3", "-m", "psf.stubs", folder));
        command.addAll(schemas);
        if (scheduler != null) {
            command.addAll(List.of("--scheduler", scheduler));
        }
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        String path = System.getProperty(PACKAGE);
        if (path != null) {
            Map<String, String> environment = builder.environment();
            environment.merge("PYTHONPATH", path, (own, first) -> first + File.pathSeparator + own);
        }
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "python3: cannot be run (expected: Python 3.9 or newer, with numpy, on the PATH): "
                            + e.getMessage(),
                    e);
        }
        return process.onExit().join().exitValue();
    }
}
