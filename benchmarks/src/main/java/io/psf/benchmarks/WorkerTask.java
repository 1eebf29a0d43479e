package io.psf.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a worker's program is told by its arguments, and how it tells what it has measured: on its standard output.
 *
 * @param part whose cases
 * @param transport that the processes use
 * @param placement where they run
 * @param plan how long
 * @param only which of the cases: those with a line whose name it fits
 */
record WorkerTask(Part part, Transport transport, Placement placement, Plan plan, Pattern only) {
    private static final String RESULT = "RESULT\t";

    /** Fits a part of a name, in capitals or not. */
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

    /** The cases to be measured. */
    List<Case> cases() {
        return part.cases(transport).stream()
                .filter(c -> c.lines().stream()
                        .anyMatch(line -> only.matcher(line.name()).find()))
                .filter(c -> !plan.goalsOnly() || c.lines().stream().anyMatch(line -> line.goal() != null))
                .toList();
    }

    /** Tells a result to the process that started this one. */
    static void tell(Result result) {
        System.out.println(RESULT + result.encode());
    }

    static boolean isResult(String line) {
        return line.startsWith(RESULT);
    }

    /** The result that a worker has told. */
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
