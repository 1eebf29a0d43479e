package io.psf.benchmarks;

import java.util.List;

/**
 * The duration of a case's measurement.
 *
 * @param rounds the number of rounds; each measures the floor, then psf. An undecided case gets up to {@link #MOST}
 *     times as many
 * @param roundMillis the approximate time of each side in a round
 * @param warmMillis the minimum warm-up of each side before the first round
 * @param goalsOnly true if cases without a goal are left out
 */
record Plan(int rounds, int roundMillis, int warmMillis, boolean goalsOnly) {
    /** The factor of additional rounds for an undecided case. */
    static final int MOST = 3;

    /** Returns the maximum number of rounds of a case. */
    int mostRounds() {
        return MOST * rounds;
    }

    static Plan of(boolean full, int rounds, boolean goalsOnly) {
        return full ? new Plan(rounds, 500, 3000, goalsOnly) : new Plan(rounds, 100, 500, goalsOnly);
    }

    /** Returns the plan as arguments of a worker's program. */
    List<String> arguments() {
        return List.of(
                Integer.toString(rounds),
                Integer.toString(roundMillis),
                Integer.toString(warmMillis),
                Boolean.toString(goalsOnly));
    }

    /** Parses the plan from the output of {@link #arguments}. */
    static Plan parse(String rounds, String roundMillis, String warmMillis, String goalsOnly) {
        return new Plan(
                Integer.parseInt(rounds),
                Integer.parseInt(roundMillis),
                Integer.parseInt(warmMillis),
                Boolean.parseBoolean(goalsOnly));
    }
}
