package io.psf.cli;

import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.ServedFunction;
import io.psf.runtime.server.handler.PassedOver;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
    private static final List<String> TITLES =
            List.of("NAME", "ID", "VERSION", "FINGERPRINT", "PLACE", "READ-ONLY", "HANDLER", "FROM");

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
        List<List<String>> rows = new ArrayList<>(List.of(TITLES));
        functions.forEach(function -> rows.add(row(function)));
        int[] widths = new int[TITLES.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (int i = 0; i < rows.size(); i++) {
            out.println(line(rows.get(i), widths));
            if (i > 0) {
                for (PassedOver other : functions.get(i - 1).passedOver()) {
                    out.println(
                            "    passed over: " + other.handler() + ", " + origin(other.origin()) + ": " + other.why());
                }
            }
            if (i > 0 && !functions.get(i - 1).info().formerly().isEmpty()) {
                out.println("    formerly: "
                        + String.join(", ", functions.get(i - 1).info().formerly()));
            }
            if (schema && i > 0) {
                List<String> schemas = functions.get(i - 1).info().schemas();
                for (int version = 1; version <= schemas.size(); version++) {
                    out.println("    version " + version + ": " + schemas.get(version - 1));
                }
            }
        }
        out.flush();
    }

    private List<String> row(ServedFunction function) {
        FunctionInfo info = function.info();
        return List.of(
                info.name(),
                hex(info.id()),
                String.valueOf(info.version()),
                hex(info.fingerprint()),
                info.place().name().toLowerCase(Locale.ROOT),
                info.readOnly() ? "yes" : "no",
                function.handler() + (function.isDefault() ? " (default body)" : ""),
                origin(function.origin()));
    }

    private String origin(@Nullable Path origin) {
        if (origin == null) {
            return "-";
        }
        String folder = Files.isDirectory(origin) ? "/" : "";
        return (wholePaths ? origin : origin.getFileName()) + folder;
    }

    private static String hex(int number) {
        return "0x%08x".formatted(number);
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
        }
        return line.toString().stripTrailing();
    }
}
