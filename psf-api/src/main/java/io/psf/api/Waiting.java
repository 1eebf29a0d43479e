package io.psf.api;

import java.util.List;
import java.util.stream.Stream;

/**
 * The calls of one function on one tensor, or on the node, that wait for something else: their handlers answer later.
 *
 * @param function the name of the function
 * @param tensor the name of the tensor; empty if they run on the node
 * @param calls the number of calls that wait
 * @param nanos the time that the oldest of them has waited, in nanoseconds since its arrival
 * @param workers the ranks of the workers that wait, in order
 * @param awaited the ranks of the workers that they wait for, in order; empty if that is not known
 * @param reason what the oldest one waits for, as a sentence; empty if that is not known
 */
public record Waiting(
        String function,
        String tensor,
        int calls,
        long nanos,
        List<Integer> workers,
        List<Integer> awaited,
        String reason) {
    public Waiting {
        workers = List.copyOf(workers);
        awaited = List.copyOf(awaited);
    }

    /** Returns these calls with others of the same function on the same tensor. */
    public Waiting plus(Waiting other) {
        Waiting oldest = nanos >= other.nanos || other.reason.isEmpty() ? this : other;
        return new Waiting(
                function,
                tensor,
                calls + other.calls,
                Math.max(nanos, other.nanos),
                union(workers, other.workers),
                union(awaited, other.awaited),
                oldest.reason.isEmpty() ? other.reason : oldest.reason);
    }

    private static List<Integer> union(List<Integer> some, List<Integer> others) {
        return Stream.concat(some.stream(), others.stream()).sorted().distinct().toList();
    }
}
