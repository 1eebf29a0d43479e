package io.psf.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Brings slices from server to server with their values, by the calls of one worker or client. */
final class SliceMover {
    private final Scheduler scheduler;
    private final ConnectedCaller caller;
    /** Has a shard on each lane of each server. */
    private final TensorId everywhere;

    private final SplittableRandom random = new SplittableRandom(7);

    SliceMover(PsCluster cluster, ConnectedCaller caller) {
        this.scheduler = cluster.scheduler();
        this.caller = caller;
        this.everywhere =
                Tensors.init(caller, TensorSpec.dense("everywhere", 3000).slices(2 * caller.servers()));
    }

    /** Moves some slices of a tensor, at least one, to other servers. */
    CompletableFuture<Void> move(TensorId tensor) {
        List<Integer> next = new ArrayList<>(caller.layout(tensor).servers());
        int sure = random.nextInt(next.size());
        for (int slice = 0; slice < next.size(); slice++) {
            if (slice == sure || random.nextBoolean()) {
                next.set(slice, (next.get(slice) + 1 + random.nextInt(caller.servers() - 1)) % caller.servers());
            }
        }
        return scheduler.move(tensor, next, this::carry);
    }

    private void carry(TensorLayout next) {
        assertThat(take(next.info().id())).isEqualTo(next.slices());
        assertThat(put(next)).isEqualTo(next.slices());
    }

    /** Takes the slices off their servers: all of them, or those of some ranks. Returns their number. */
    int take(TensorId tensor, Integer... ranks) {
        List<Integer> from =
                ranks.length == 0 ? IntStream.range(0, caller.servers()).boxed().toList() : List.of(ranks);
        return TakeSlicesPsf.stub(caller).call(tensor, everywhere, from).await().taken();
    }

    /** Makes the slices that were taken, on the servers of another layout. Returns their number. */
    int put(TensorLayout next) {
        PutSlices.NEXT.put(next.info().id(), next);
        return PutSlicesPsf.stub(caller).call(next.info().id()).await().put();
    }

    /** Returns the values of the slices, which are on no server then. */
    Collection<float[]> values(TensorId tensor) {
        long rows = caller.layout(tensor).info().rows();
        assertThat(take(tensor)).isPositive();
        Map<Integer, float[]> taken = Objects.requireNonNull(TakeSlices.TAKEN.remove(tensor));
        assertThat(taken.values().stream().mapToInt(values -> values.length).sum())
                .isEqualTo(rows);
        return taken.values();
    }
}
