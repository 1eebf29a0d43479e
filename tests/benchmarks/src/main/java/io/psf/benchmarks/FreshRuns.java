package io.psf.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures the same cases in new processes several times and compares the medians. */
final class FreshRuns {
    private static final String ROW = "%-56s %12s %12s %-8s %8s   %s";

    private FreshRuns() {}

    /**
     * Runs all cases {@code times} times and prints, by line, the ratio of the greatest to the least median. Returns
     * true if all runs were completed.
     */
    static boolean measure(BenchRun run, int times) throws IOException {
        Map<Line, List<Result>> all = new LinkedHashMap<>();
        boolean ended = true;
        for (int i = 0; i < times; i++) {
            System.out.printf("run %d of %d%n", i + 1, times);
            ended &= run.measure();
            run.results()
                    .forEach(result -> all.computeIfAbsent(result.line(), line -> new ArrayList<>())
                            .add(result));
        }
        System.out.println(
                ROW.formatted("case", "least", "greatest", "unit", "apart", "the same of the floor, and verdicts"));
        all.forEach((line, results) -> System.out.println(row(line, results)));
        return ended;
    }

    private static String row(Line line, List<Result> results) {
        double least = extreme(results, Comparator.naturalOrder());
        double greatest = extreme(results, Comparator.reverseOrder());
        double[] floors =
                results.stream().mapToDouble(Result::floorMedian).sorted().toArray();
        List<String> verdicts = results.stream()
                .map(Result::verdict)
                .distinct()
                .map(String::valueOf)
                .toList();
        return ROW.formatted(
                line.name(),
                Report.number(least),
                Report.number(greatest),
                line.unit(),
                Report.number(greatest / least),
                Report.number(floors[floors.length - 1] / floors[0])
                        + (line.goal() == null ? "" : ", " + String.join(" ", verdicts)));
    }

    private static double extreme(List<Result> results, Comparator<Double> order) {
        return results.stream().map(Result::oursMedian).min(order).orElseThrow();
    }
}
