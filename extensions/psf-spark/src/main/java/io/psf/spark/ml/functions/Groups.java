package io.psf.spark.ml.functions;

import io.psf.api.PsException;
import io.psf.api.array.IntArray;

/**
 * The groups of a request with copies of their vectors, on the heap. One for each thread that runs shards, since each
 * retains some megabytes. Not thread-safe.
 */
final class Groups {
    private static final ThreadLocal<Groups> OF_LANE = ThreadLocal.withInitial(Groups::new);

    private final Vectors input = new Vectors();
    private final Vectors output = new Vectors();
    private final Vectors changes = new Vectors();
    private int targets;
    private int groups;
    private int pairs;
    private int most;
    private int[] counts = {};
    private int[] inputAt = {};
    private int[] outputAt = {};
    private float[] products = {};

    private Groups() {}

    static Groups ofLane() {
        return OF_LANE.get();
    }

    Vectors input() {
        return input;
    }

    Vectors output() {
        return output;
    }

    int pairs() {
        return pairs;
    }

    /** Returns memory for a number for each pair, of unknown content. */
    float[] products() {
        if (products.length < pairs) {
            products = new float[Math.max(pairs, 2 * products.length)];
        }
        return products;
    }

    /** Copies the groups. The positions are checked when they are used. */
    void read(int ofTargets, IntArray ofCounts, IntArray ofInput, IntArray ofOutput) {
        if (ofTargets < 1) {
            throw new PsException(PsException.Code.BAD_REQUEST, "targets: " + ofTargets + " (expected: >= 1)");
        }
        targets = ofTargets;
        groups = ofCounts.length();
        counts = copy(ofCounts, counts);
        inputAt = copy(ofInput, inputAt);
        outputAt = copy(ofOutput, outputAt);
        long inputs = 0;
        most = 0;
        for (int group = 0; group < groups; group++) {
            if (counts[group] < 0) {
                throw new PsException(
                        PsException.Code.BAD_REQUEST, "counts[" + group + "]: " + counts[group] + " (expected: >= 0)");
            }
            inputs += counts[group];
            most = Math.max(most, counts[group]);
        }
        Vectors.require("inputAt", ofInput.length(), inputs);
        Vectors.require("outputAt", ofOutput.length(), (long) groups * targets);
        pairs = Math.toIntExact(inputs * targets);
    }

    private static int[] copy(IntArray from, int[] to) {
        int[] into = to.length >= from.length() ? to : new int[Math.max(from.length(), 2 * to.length)];
        from.copyTo(into);
        return into;
    }

    private void requirePositions() {
        require("inputAt", inputAt, pairs / targets, input.count());
        require("outputAt", outputAt, groups * targets, output.count());
        if (output.width() != input.width()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "width of the output vectors: " + output.width() + " (expected: " + input.width() + ")");
        }
    }

    private static void require(String name, int[] at, int n, int count) {
        for (int i = 0; i < n; i++) {
            if (at[i] < 0 || at[i] >= count) {
                throw new PsException(
                        PsException.Code.BAD_REQUEST,
                        name + "[" + i + "]: " + at[i] + " (expected: 0 to " + (count - 1) + ")");
            }
        }
    }

    /**
     * Computes the products of all pairs.
     *
     * @param into [pairs], group by group, input by input
     */
    void multiply(float[] into) {
        requirePositions();
        int at = 0;
        for (int group = 0; group < groups; group++) {
            multiply(group, at, into, at * targets);
            at += counts[group];
        }
    }

    /** Computes the products of a group, whose inputs begin at a position, into an array from an index on. */
    private void multiply(int group, int from, float[] into, int begin) {
        int first = group * targets;
        int end = from + counts[group];
        int at = from;
        int next = begin;
        for (; at + 1 < end; at += 2) {
            multiply(input.rows()[inputAt[at]], input.rows()[inputAt[at + 1]], first, into, next, next + targets);
            next += 2 * targets;
        }
        if (at < end) {
            float[] row = input.rows()[inputAt[at]];
            multiply(row, row, first, into, next, next);
        }
    }

    /**
     * Multiplies two inputs and all outputs of a group: a into the index at, b into next. They are equal if no other
     * follows.
     */
    private void multiply(float[] a, float[] b, int first, float[] into, int at, int next) {
        float[][] rows = output.rows();
        int width = input.width();
        int target = 0;
        for (; target + 2 < targets; target += 3) {
            float[] x = rows[outputAt[first + target]];
            float[] y = rows[outputAt[first + target + 1]];
            float[] z = rows[outputAt[first + target + 2]];
            Dots.of(a, b, x, y, z, width, into, at + target, next + target);
        }
        for (; target < targets; target++) {
            Dots.of(a, b, rows[outputAt[first + target]], width, into, at + target, next + target);
        }
    }

    /**
     * Adds to each vector the vectors of its pairs.
     *
     * @param factors [pairs], the number that the other vector is multiplied by
     */
    void adjust(float[] factors) {
        requirePositions();
        changes.make(most, input.width());
        int at = 0;
        for (int group = 0; group < groups; group++) {
            adjust(group, at, factors, at * targets);
            at += counts[group];
        }
    }

    /**
     * Trains all groups, one after the other, on whole vectors.
     *
     * @param rate the learning rate
     */
    void train(float rate) {
        requirePositions();
        changes.make(most, input.width());
        float[] factors = products();
        int at = 0;
        for (int group = 0; group < groups; group++) {
            multiply(group, at, factors, 0);
            PairFactors.of(factors, 0, counts[group] * targets, targets, rate);
            adjust(group, at, factors, 0);
            at += counts[group];
        }
    }

    private void adjust(int group, int at, float[] factors, int begin) {
        int n = counts[group];
        int first = group * targets;
        for (int i = 0; i < n; i++) {
            changeOfInput(changes.rows()[i], first, factors, begin + i * targets);
        }
        for (int target = 0; target < targets; target++) {
            adjustOutput(output.rows()[outputAt[first + target]], at, n, factors, begin + target);
        }
        for (int i = 0; i < n; i++) {
            Sums.add(input.rows()[inputAt[at + i]], changes.rows()[i]);
        }
    }

    private void changeOfInput(float[] change, int first, float[] factors, int at) {
        float[][] rows = output.rows();
        int target = 0;
        if (targets >= 3) {
            Sums.set(
                    change,
                    factors[at],
                    rows[outputAt[first]],
                    factors[at + 1],
                    rows[outputAt[first + 1]],
                    factors[at + 2],
                    rows[outputAt[first + 2]]);
            target = 3;
        } else {
            Sums.set(change, factors[at], rows[outputAt[first]]);
            target = 1;
        }
        for (; target + 2 < targets; target += 3) {
            Sums.add(
                    change,
                    factors[at + target],
                    rows[outputAt[first + target]],
                    factors[at + target + 1],
                    rows[outputAt[first + target + 1]],
                    factors[at + target + 2],
                    rows[outputAt[first + target + 2]]);
        }
        for (; target < targets; target++) {
            Sums.add(change, factors[at + target], rows[outputAt[first + target]]);
        }
    }

    /** Adds the inputs of a group, n of them from {@code at} on, to an output. */
    private void adjustOutput(float[] row, int at, int n, float[] factors, int factor) {
        float[][] rows = input.rows();
        int i = 0;
        for (; i + 2 < n; i += 3) {
            Sums.add(
                    row,
                    factors[factor + i * targets],
                    rows[inputAt[at + i]],
                    factors[factor + (i + 1) * targets],
                    rows[inputAt[at + i + 1]],
                    factors[factor + (i + 2) * targets],
                    rows[inputAt[at + i + 2]]);
        }
        for (; i < n; i++) {
            Sums.add(row, factors[factor + i * targets], rows[inputAt[at + i]]);
        }
    }
}
