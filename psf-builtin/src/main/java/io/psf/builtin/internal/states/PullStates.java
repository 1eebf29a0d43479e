package io.psf.builtin.internal.states;

import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.optimizer.Progress;
import io.psf.builtin.push.Pushes;
import java.util.ArrayList;
import java.util.List;

/** Pulls the optimizer's state of a tensor that does not grow. */
@PsFunction(value = "psf.kv.states.pull", readOnly = true)
public interface PullStates {
    /**
     * The tensor.
     *
     * @param tensor the tensor whose state is pulled
     */
    record Request(TensorId tensor) {}

    /**
     * The state.
     *
     * @param parts one part for each slot of each slice; none if the tensor has no state yet
     * @param steps the number of steps of the tensor; 0 if the optimizer does not need it
     */
    record Response(
            List<StatePart> parts, @Reduce(Reduction.MAX) long steps) {}

    /** Returns the shard's slots. */
    default Response handle(Request slice, StoredShard shard) {
        List<StatePart> parts = new ArrayList<>();
        shard.storedSlots().forEach((name, slot) -> {
            if (!Pushes.ownsSlot(name)) {
                parts.add(new StatePart(
                        shard.range().begin(),
                        shard.optimizer().name(),
                        name,
                        slot.width(),
                        slot.read(0, shard.rows()).toArray()));
            }
        });
        return new Response(parts, Progress.steps(shard));
    }
}
