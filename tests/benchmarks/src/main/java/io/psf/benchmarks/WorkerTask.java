package io.psf.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The arguments of a worker's program, and the format of the results on its standard output.
 *
 * @param part the part whose cases are measured
 * @param transport the transport of the processes
 * @param placement the processors that the processes run on
 * @param plan the duration of the measurements
 * @param only selects the cases with a line whose name it matches
 */
record WorkerTask(Part part, Transport transport, Placement placement, Plan plan, Pattern only) {
    private static final String RESULT = "RESULT\t";

    /** Returns the pattern that matches a part of a name, ignoring case. */
    static Pattern only(String pattern) {
        return Pattern.compile(pattern, Pattern.CASE_INSENSITIVE);
    }

    static WorkerTask parse(String[] arguments) {
        return new WorkerTask(
                Part.valueOf(arguments[0]),
                Transport.valueOf(arguments[1]),
                Placement.valueOf(arguments[2]),
                Plan.parse(arguments[3], arguments[4], arguments[5], arguments[6]),
                only(arguments[7]));
    }

    String[] arguments() {
        List<String> arguments = new ArrayList<>(List.of(part.name(), transport.name(), placement.name()));
        arguments.addAll(plan.arguments());
        arguments.add(only.pattern());
        return arguments.toArray(String[]::new);
    }

    List<Case> cases() {
        return part.cases(transport).stream()
                .filter(c -> c.lines().stream()
                        .anyMatch(line -> only.matcher(line.name()).find()))
                .filter(c -> !plan.goalsOnly() || c.lines().stream().anyMatch(line -> line.goal() != null))
                .toList();
    }

    /** Prints a result for the parent process. */
    static void tell(Result result) {
        System.out.println(RESULT + result.encode());
    }

    static boolean isResult(String line) {
        return line.startsWith(RESULT);
    }

    /** Parses a result that a worker has printed. */
    Result result(String text) {
        String[] fields = text.split("\t", -1);
        Line line = cases().stream()
                .flatMap(c -> c.lines().stream())
                .filter(known -> known.name().equals(fields[1]))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("result of: " + fields[1] + " (expected: a case)"));
        return new Result(line, Result.decode(fields[2]), Result.decode(fields[3]), Double.parseDouble(fields[4]));
    }
}
