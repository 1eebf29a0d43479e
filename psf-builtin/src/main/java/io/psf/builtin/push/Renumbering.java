package io.psf.builtin.push;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Relates the numbers of the workers' calls to the numbers of a shard or node. They are the same until a restart. A
 * worker goes on with its own numbers then, and its first call has the number of the first calls of the others. Used on
 * one lane.
 */
public final class Renumbering {
    private final Map<Integer, Long> offsets = new HashMap<>();
    /** The workers that have not called since the restart. */
    private final Set<Integer> silent = new HashSet<>();

    private long first;

    /**
     * Begins anew.
     *
     * @param workers the workers that begin
     * @param first the number here of the next call of each of them
     */
    public void restart(Set<Integer> workers, long first) {
        offsets.clear();
        silent.clear();
        silent.addAll(workers);
        this.first = first;
    }

    /** Returns the number here of a worker's call. */
    public long here(int worker, long number) {
        if (silent.remove(worker)) {
            offsets.put(worker, first - number);
        }
        return number + offsets.getOrDefault(worker, 0L);
    }

    /** Returns the worker's own number of a number here. */
    public long own(int worker, long number) {
        return number - offsets.getOrDefault(worker, 0L);
    }

    /** Takes the numbers of a worker as they are: it has just learned a number here. */
    public void joined(int worker) {
        silent.remove(worker);
        offsets.remove(worker);
    }

    /** Learns which workers are present: the next worker of a rank has other numbers. */
    public void retain(Set<Integer> present) {
        silent.retainAll(present);
        offsets.keySet().retainAll(present);
    }
}
