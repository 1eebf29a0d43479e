package io.psf.benchmarks;

import java.util.List;

/**
 * How long a case is measured.
 *
 * @param rounds in each, the floor and psf take turns; a case whose verdict is open gets up to {@link #MOST} times as many
 * @param roundMillis about how long each takes in a round
 * @param warmMillis how long each is run before the first round, at least
 * @param goalsOnly true if cases without a goal are left out
 */
record Plan(int rounds, int roundMillis, int warmMillis, boolean goalsOnly) {
    /** How many times as many rounds a case may get. */
    static final int MOST = 3;

    /** The most rounds of a case. */
    int mostRounds() {
        return MOST * rounds;
    }

    static Plan of(boolean full, int rounds, boolean goalsOnly) {
        return full ? new Plan(rounds, 500, 3000, goalsOnly) : new Plan(rounds, 100, 500, goalsOnly);
    }

    /** The plan as arguments of a worker's program. */
    List<String> arguments() {
        return List.of(
                Integer.toString(rounds),
                Integer.toString(roundMillis),
                Integer.toString(warmMillis),
                Boolean.toString(goalsOnly));
    }

    /** The plan that {@link #arguments} has written. */
    static Plan parse(String rounds, String roundMillis, String warmMillis, String goalsOnly) {
        return new Plan(
                Integer.parseInt(rounds),
                Integer.parseInt(roundMillis),
                Integer.parseInt(warmMillis),
                Boolean.parseBoolean(goalsOnly));
    }
}
