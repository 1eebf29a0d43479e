package io.psf.examples;

import io.psf.api.PsException;
import io.psf.cli.UsageErrors;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Runs the command of a main, and passes the options of a job on to its workers. */
public final class Program {
    private Program() {}

    /** Runs a command, then exits: with 0 for success, 2 for an invalid option, otherwise 1. */
    public static void main(Object command, String[] arguments) {
        System.exit(commandLine(command).execute(arguments));
    }

    /**
     * Returns a command that says what is wrong with an option in one line. The reason of another failure is printed on
     * standard output, from which a job reads the lines of its workers.
     */
    public static CommandLine commandLine(Object command) {
        return new CommandLine(command)
                .setParameterExceptionHandler(new UsageErrors())
                .setExecutionExceptionHandler((failure, line, parsed) -> {
                    if (!(failure instanceof PsException known)) {
                        failure.printStackTrace(System.out);
                        return CommandLine.ExitCode.SOFTWARE;
                    }
                    System.out.println(known.getMessage());
                    return known.code() == PsException.Code.CONFIGURATION
                            ? CommandLine.ExitCode.USAGE
                            : CommandLine.ExitCode.SOFTWARE;
                });
    }

    /** Returns the values of an object's options as arguments, for a worker that has the same options. */
    public static String[] arguments(Object options) {
        List<String> arguments = new ArrayList<>();
        for (OptionSpec option : CommandSpec.forAnnotatedObject(options).options()) {
            Object value = option.getValue();
            if (value instanceof Boolean isSet) {
                arguments.addAll(isSet ? List.of(option.longestName()) : List.of());
            } else if (value != null) {
                arguments.add(option.longestName() + "=" + value);
            }
        }
        return arguments.toArray(String[]::new);
    }
}
