package io.psf.builtin;

import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.builtin.push.CountRounds;
import io.psf.builtin.push.CountRoundsPsf;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** The rounds of a synchronous tensor. Its slices close their rounds independently. */
public final class Rounds {
    private final long closed;
    private final SortedMap<Integer, Long> late;

    private Rounds(long closed, SortedMap<Integer, Long> late) {
        this.closed = closed;
        this.late = Collections.unmodifiableSortedMap(late);
    }

    static Rounds of(TensorCaller worker, TensorId tensor) {
        CountRounds.Response counted = CountRoundsPsf.stub(worker).call(tensor).await();
        SortedMap<Integer, Long> late = new TreeMap<>();
        counted.late().forEach((rank, count) -> late.put(Integer.valueOf(rank), count));
        return new Rounds(counted.closed(), late);
    }

    /** Returns the number of rounds that have closed, on the slice with the most. */
    public long closed() {
        return closed;
    }

    /**
     * Returns the number of late pushes by the rank of their worker, on the slice with the most; without zeros. With
     * {@link Late#DROP} they were dropped, with {@link Late#NEXT} added to another round.
     */
    public SortedMap<Integer, Long> late() {
        return late;
    }

    /** Returns the numbers, such as {@code closed=50, late={2=10}}. */
    @Override
    public String toString() {
        return "closed=" + closed + ", late=" + late;
    }
}
