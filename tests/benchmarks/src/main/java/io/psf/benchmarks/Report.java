package io.psf.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Formats results: as a table for people, as JSON for programs, as Markdown for the documentation. */
final class Report {
    private static final String ROW = "%-56s %12s %12s %-8s %8s  %-18s %s";

    private Report() {}

    static String heading() {
        return ROW.formatted("case", "psf", "floor", "unit", "ratio", "spread", "goal")
                .stripTrailing();
    }

    static String row(Result result) {
        return ROW.formatted(
                        result.line().name(),
                        number(result.oursMedian()),
                        number(result.floorMedian()),
                        result.line().unit(),
                        number(result.ratio()),
                        spread(result),
                        verdict(result))
                .stripTrailing();
    }

    static String spread(Result result) {
        return number(result.least()) + " to " + number(result.greatest());
    }

    static String verdict(Result result) {
        Goal goal = result.line().goal();
        Goal.Verdict verdict = result.verdict();
        if (goal == null || verdict == null) {
            return disturbance(result).replaceFirst("^, ", "");
        }
        String word = switch (verdict) {
            case MET -> "met";
            case MISSED -> "MISSED";
            case UNDECIDED -> "undecided";
        };
        return goal.text(result.line().unit()) + "  " + word + disturbance(result);
    }

    private static String disturbance(Result result) {
        return result.others() < OtherLoad.DISTURBS
                ? ""
                : String.format(Locale.ROOT, ", others took %.0f %% of the machine", 100 * result.others());
    }

    /** Returns the numbers of goals that are met, missed and undecided. */
    static String summary(List<Result> results) {
        List<Result> goals =
                results.stream().filter(r -> r.line().goal() != null).toList();
        return String.format(
                Locale.ROOT,
                "%d of %d goals met, %d missed, %d undecided",
                count(goals, Goal.Verdict.MET),
                goals.size(),
                count(goals, Goal.Verdict.MISSED),
                count(goals, Goal.Verdict.UNDECIDED));
    }

    private static long count(List<Result> results, Goal.Verdict verdict) {
        return results.stream().filter(result -> result.verdict() == verdict).count();
    }

    /** Formats a number with at least three significant digits. */
    static String number(double value) {
        if (Double.isNaN(value)) {
            return "-";
        }
        double size = Math.abs(value);
        int decimals = size >= 100 || size == 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4;
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }

    /** Returns the results as a JSON array of objects. */
    static String json(List<Result> results) {
        return array(results.stream().map(Report::fields).toList());
    }

    /** Returns a JSON array of objects with the given fields. */
    static String array(List<String> objects) {
        return objects.stream()
                .map(fields -> "{" + fields + "}")
                .collect(Collectors.joining(",\n  ", "[\n  ", "\n]\n"));
    }

    /** Returns the fields of a result's JSON object. */
    static String fields(Result result) {
        return String.format(
                Locale.ROOT,
                "\"case\": \"%s\", \"ours\": %s, \"floor\": %s, \"unit\": \"%s\", \"ratio\": %s, %s,"
                        + " \"rounds\": %d, \"others\": %s, \"spread\": [%s, %s]",
                result.line().name(),
                exact(result.oursMedian()),
                exact(result.floorMedian()),
                result.line().unit(),
                exact(result.ratio()),
                goal(result),
                result.ours().length,
                exact(result.others()),
                exact(result.least()),
                exact(result.greatest()));
    }

    /** Returns the JSON fields of a result's goal and verdict. */
    static String goal(Result result) {
        Goal goal = result.line().goal();
        Goal.Verdict verdict = result.verdict();
        return "\"goal\": %s, \"goal_text\": %s, \"verdict\": %s"
                .formatted(
                        goal == null ? "null" : exact(goal.bound()),
                        goal == null ? "null" : "\"" + goalText(result, goal) + "\"",
                        verdict == null ? "null" : "\"" + verdict.name().toLowerCase(Locale.ROOT) + "\"");
    }

    private static String goalText(Result result, Goal goal) {
        return (goal.of() == Goal.Of.RATIO ? "ratio " : "ours ")
                + goal.text(result.line().unit());
    }

    static String exact(double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%.6f", value) : "null";
    }

    /** Returns two tables, of the cases with a goal and of the others, below a line with their origin. */
    static String markdown(List<Result> results, String origin) {
        return origin + ".\n\n"
                + table(results.stream().filter(r -> r.line().goal() != null).toList()) + "\nWithout a goal:\n\n"
                + table(results.stream().filter(r -> r.line().goal() == null).toList());
    }

    private static String table(List<Result> results) {
        return results.stream()
                .map(r -> "| %s | %s %s | %s | %s | %s | %s |\n"
                        .formatted(
                                r.line().name(),
                                number(r.oursMedian()),
                                r.line().unit(),
                                number(r.floorMedian()),
                                number(r.ratio()),
                                spread(r),
                                verdict(r)))
                .collect(Collectors.joining(
                        "", "| case | psf | floor | ratio | spread | goal |\n|---|---|---|---|---|---|\n", ""));
    }
}
