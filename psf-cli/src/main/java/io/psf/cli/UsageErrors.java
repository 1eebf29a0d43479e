package io.psf.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints what is wrong with a command line in one line: {@code --servers: x (expected: a whole number; see ..)}. */
public final class UsageErrors implements IParameterExceptionHandler {
    /** The commands that the script of a checkout has besides. */
    private static final Set<String> OF_CHECKOUT =
            Set.of("bench", "convnet", "demo", "lenet", "movielens", "recommender", "simulate", "spark-demo");

    private static final String EXPECTED = "(expected: ";

    @Override
    public int handleParseException(ParameterException problem, String[] arguments) {
        CommandLine command = problem.getCommandLine();
        command.getErr().println("psf: " + sentence(problem, command));
        return CommandLine.ExitCode.USAGE;
    }

    private static String sentence(ParameterException problem, CommandLine command) {
        String text = text(problem);
        String help = "see " + command.getCommandSpec().qualifiedName() + " --help)";
        return text.contains(EXPECTED) && text.endsWith(")")
                ? text.substring(0, text.length() - 1) + "; " + help
                : text + " (" + suggestion(problem) + help;
    }

    private static String suggestion(ParameterException problem) {
        List<String> near =
                problem instanceof UnmatchedArgumentException unmatched ? unmatched.getSuggestions() : List.of();
        return near.isEmpty() ? "" : "did you mean " + near.get(0) + "? ";
    }

    private static String text(ParameterException problem) {
        if (problem instanceof MissingParameterException missing
                && !missing.getMissing().isEmpty()) {
            ArgSpec first = missing.getMissing().get(0);
            return name(first) + ": not set " + EXPECTED + expected(first) + ")";
        }
        if (problem instanceof UnmatchedArgumentException unmatched
                && problem.getCommandLine().getParent() == null
                && OF_CHECKOUT.contains(unmatched.getUnmatched().get(0))) {
            String command = unmatched.getUnmatched().get(0);
            return command + ": only in a checkout of psf " + EXPECTED + "./psf " + command + " there)";
        }
        ArgSpec argument = problem.getArgSpec();
        if (argument == null || problem.getValue() == null) {
            return String.valueOf(problem.getMessage());
        }
        // A converter of psf's own says what it expects.
        String said = problem.getCause() instanceof TypeConversionException own ? own.getMessage() : null;
        return name(argument) + ": "
                + (said != null && said.contains(EXPECTED)
                        ? said
                        : problem.getValue() + " " + EXPECTED + expected(argument) + ")");
    }

    private static String name(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }

    private static String expected(ArgSpec argument) {
        Class<?> type = argument.type();
        if (type == int.class || type == Integer.class || type == long.class || type == Long.class) {
            return "a whole number";
        }
        if (type == double.class || type == Double.class) {
            return "a number";
        }
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants()).map(Object::toString).collect(Collectors.joining(", "));
        }
        String description = String.join(" ", argument.description());
        return description.isEmpty() || description.contains("${") ? argument.paramLabel() : description;
    }
}
