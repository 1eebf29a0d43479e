package io.psf.cli;

import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.ServedFunction;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Lists the functions that a server with a class path would serve. */
@Command(
        name = "functions",
        description = {
            "Lists the functions that a server with this class path has a handler for.",
            "Below a function are the handlers that were not chosen, or that cannot run here,",
            "and the function's former names, by which it can be called, too.",
            "ID and FINGERPRINT stand for the name and the schema on the wire."
        },
        footer = {"%nExample:", "  psf functions --classpath app.jar"},
        mixinStandardHelpOptions = true)
final class FunctionsCommand implements Callable<Integer> {
    @Option(
            names = {"--classpath", "-cp"},
            paramLabel = "PATH",
            defaultValue = "",
            description =
                    "where your handlers are, besides builtins: jars and folders, separated by '${sys:path.separator}'")
    private String classPath = "";

    @Option(names = "--schema", description = "with the schema of each version below each function")
    private boolean schema;

    @Option(names = "--long", description = "with the whole path of each jar and folder")
    private boolean wholePaths;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        try (URLClassLoader loader = ClassPathOption.loader(classPath)) {
            print(ServedFunction.on(loader));
        }
        return 0;
    }

    private void print(List<ServedFunction> functions) {
        PrintWriter out = Objects.requireNonNull(spec, "spec").commandLine().getOut();
        Table table = Table.of("NAME", "ID", "VERSION", "FINGERPRINT", "PLACE", "READ-ONLY", "HANDLER", "FROM");
        functions.forEach(function -> table.add(row(function)));
        List<String> lines = table.lines();
        out.println(lines.get(0));
        for (int i = 0; i < functions.size(); i++) {
            out.println(lines.get(i + 1));
            functions
                    .get(i)
                    .passedOver()
                    .forEach(other -> out.println("    passed over: " + other.handler() + ", " + origin(other.origin())
                            + ": " + other.why()));
            FunctionInfo info = functions.get(i).info();
            if (!info.formerly().isEmpty()) {
                out.println("    formerly: " + String.join(", ", info.formerly()));
            }
            for (int version = 1; schema && version <= info.schemas().size(); version++) {
                out.println("    version " + version + ": " + info.schemas().get(version - 1));
            }
        }
        out.flush();
    }

    private Object[] row(ServedFunction function) {
        FunctionInfo info = function.info();
        return new Object[] {
            info.name(),
            hex(info.id()),
            info.version(),
            hex(info.fingerprint()),
            info.place().name().toLowerCase(Locale.ROOT),
            info.readOnly() ? "yes" : "no",
            function.handler() + (function.isDefault() ? " (default body)" : ""),
            origin(function.origin())
        };
    }

    private String origin(@Nullable Path origin) {
        if (origin == null) {
            return "-";
        }
        String folder = Files.isDirectory(origin) ? "/" : "";
        return (wholePaths ? origin : origin.getFileName()) + folder;
    }

    private static String hex(int number) {
        return String.format(Locale.ROOT, "0x%08x", number);
    }
}
