package io.psf.builtin;

import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.builtin.push.CountRounds;
import io.psf.builtin.push.CountRoundsPsf;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The rounds of a synchronous tensor. Its slices close their rounds independently.
 *
 * @param closed the number of rounds that have closed, on the slice with the most
 * @param late the number of late pushes by the rank of their worker, on the slice with the most; without zeros. With
 *     {@link Late#DROP} they were dropped, with {@link Late#NEXT} added to another round
 */
public record Rounds(long closed, SortedMap<Integer, Long> late) {
    static Rounds of(TensorCaller worker, TensorId tensor) {
        CountRounds.Response counted = CountRoundsPsf.stub(worker).call(tensor).await();
        SortedMap<Integer, Long> late = new TreeMap<>();
        counted.late().forEach((rank, count) -> late.put(Integer.valueOf(rank), count));
        return new Rounds(counted.closed(), late);
    }
}
