package io.psf.cli;

import java.io.PrintWriter;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the class path of psf. */
@Command(
        name = "classpath",
        description = {
            "Prints the class path of psf, for another program that runs on it: each jar, separated by"
                    + " '${sys:path.separator}'."
        },
        footer = {"%nExample:", "  jshell --class-path \"$(psf classpath)\""},
        mixinStandardHelpOptions = true)
final class PrintClassPathCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = Objects.requireNonNull(spec, "spec").commandLine().getOut();
        out.println(System.getProperty("java.class.path"));
        out.flush();
        return 0;
    }
}
