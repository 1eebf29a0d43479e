package io.psf.builtin;

import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.builtin.push.CountRounds;
import io.psf.builtin.push.CountRoundsPsf;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The rounds of a synchronous tensor, whose slices close them independently; and the pushes that were left out of any
 * tensor.
 */
public final class Rounds {
    private final long closed;
    private final SortedMap<Integer, Long> late;
    private final SortedMap<Integer, Long> skipped;

    private Rounds(long closed, Map<String, Long> late, Map<String, Long> skipped) {
        this.closed = closed;
        this.late = byRank(late);
        this.skipped = byRank(skipped);
    }

    static Rounds of(TensorCaller worker, TensorId tensor) {
        CountRounds.Response counted = CountRoundsPsf.stub(worker).call(tensor).await();
        return new Rounds(counted.closed(), counted.late(), counted.skipped());
    }

    private static SortedMap<Integer, Long> byRank(Map<String, Long> named) {
        SortedMap<Integer, Long> byRank = new TreeMap<>();
        named.forEach((rank, count) -> byRank.put(Integer.valueOf(rank), count));
        return Collections.unmodifiableSortedMap(byRank);
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

    /**
     * Returns the number of pushes that were left out, since they had an element that is not finite, by the rank of
     * their worker; without zeros ({@link OptimizerSpec#skipNonFinite}). Those of clients have negative numbers.
     */
    public SortedMap<Integer, Long> skipped() {
        return skipped;
    }

    /**
     * Returns the numbers, such as {@code closed=50, late={2=10}}, and {@code skipped={1=3}} if there are such pushes.
     */
    @Override
    public String toString() {
        return "closed=" + closed + ", late=" + late + (skipped.isEmpty() ? "" : ", skipped=" + skipped);
    }
}
