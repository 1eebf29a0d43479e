package io.psf.testkit;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a test's steps on one number of slices.
 *
 * @param cluster the servers, in the state after the steps
 * @param answer the value that the steps returned; null if they failed
 * @param failure the exception of the steps; null if they did not fail
 */
record RunOutcome<T>(
        TestCluster cluster, @Nullable T answer, @Nullable PsException failure) {
    static <T> RunOutcome<T> of(TestCluster cluster, Steps<T> steps) {
        try {
            return new RunOutcome<>(cluster, steps.run(cluster), null);
        } catch (PsException e) {
            return new RunOutcome<>(cluster, null, e);
        }
    }

    /** Returns the answer, or throws the failure. */
    T get() {
        if (failure != null) {
            throw failure;
        }
        return Objects.requireNonNull(answer, "steps: null (expected: what the calls came to)");
    }

    /**
     * Throws an {@link AssertionError} if the other outcome differs. Failures are equal if their codes are equal;
     * messages are ignored.
     */
    void requireSame(RunOutcome<T> other, Differences differences, String function) {
        if (failure != null || other.failure != null) {
            if (failure == null || other.failure == null || failure.code() != other.failure.code()) {
                AssertionError error = error(function, "outcome", text(), other, other.text());
                if (other.failure != null) {
                    error.initCause(other.failure);
                } else {
                    error.initCause(failure);
                }
                throw error;
            }
            return; // the state after a failed call is not defined
        }
        require(differences.between("response", answer, other.answer), other, function);
        require(differences.between("tensors", cluster.tensors(), other.cluster.tensors()), other, function);
        for (TensorId tensor : cluster.tensors()) {
            require(
                    differences.between(
                            "keys of tensor \"" + tensor + "\"", cluster.keys(tensor), other.cluster.keys(tensor)),
                    other,
                    function);
            require(
                    differences.between(
                            "values of tensor \"" + tensor + "\"",
                            cluster.values(tensor),
                            other.cluster.values(tensor)),
                    other,
                    function);
            Map<String, float[]> theirs = other.cluster.slots(tensor);
            for (Map.Entry<String, float[]> slot :
                    named(cluster.slots(tensor), theirs).entrySet()) {
                float[] there = theirs.getOrDefault(slot.getKey(), new float[slot.getValue().length]);
                String where = "slot \"" + slot.getKey() + "\" of tensor \"" + tensor + "\"";
                require(differences.between(where, slot.getValue(), there), other, function);
            }
        }
    }

    /** Returns the slots of {@code one}, and zeros for slots that only {@code other} has. */
    private static Map<String, float[]> named(Map<String, float[]> one, Map<String, float[]> other) {
        Map<String, float[]> all = new LinkedHashMap<>(one);
        other.forEach((name, slot) -> all.putIfAbsent(name, new float[slot.length]));
        return all;
    }

    private void require(Differences.@Nullable Difference difference, RunOutcome<T> other, String function) {
        if (difference != null) {
            throw error(function, difference.where(), difference.one(), other, difference.other());
        }
    }

    private AssertionError error(String function, String where, String here, RunOutcome<T> other, String there) {
        return new AssertionError(function + ": " + where + ": " + here + " on 1 slice, " + there + " on "
                + other.cluster.slices() + " slices (expected: the same)");
    }

    private String text() {
        return failure == null ? String.valueOf(answer) : failure.toString();
    }
}
