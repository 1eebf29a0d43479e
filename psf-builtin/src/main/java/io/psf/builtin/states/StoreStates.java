package io.psf.builtin.states;

import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.optimizer.Progress;
import io.psf.builtin.push.Pushes;
import java.util.List;

/** Replaces the optimizer's state of a tensor that does not grow. The values do not change. */
@PsFunction("psf.kv.states.store")
public interface StoreStates {
    /**
     * The state. State of which there is no part becomes zero, as that of a new tensor. The call fails with {@code
     * BAD_REQUEST} if a part is of another optimizer.
     *
     * @param tensor the tensor to change
     * @param parts the parts, none of them of rows of several slices
     * @param steps the number of steps of the tensor
     */
    record Request(
            TensorId tensor,
            @ByKey(value = "row", everySlice = true) List<StatePart> parts,
            long steps) {}

    /** The acknowledgement. */
    record Response() {}

    /** Replaces the shard's slots. */
    default Response handle(Request slice, StoredShard shard) {
        for (StatePart part : slice.parts()) {
            if (!part.optimizer().equals(shard.optimizer().name())) {
                throw new PsException(
                        PsException.Code.BAD_REQUEST,
                        "optimizer of the states of tensor \"" + slice.tensor() + "\": " + part.optimizer()
                                + " (expected: " + shard.optimizer().name() + ", that of the tensor)");
            }
        }
        shard.storedSlots().forEach((name, slot) -> {
            if (!Pushes.ownsSlot(name)) {
                slot.clear();
            }
        });
        for (StatePart part : slice.parts()) {
            shard.storedSlot(part.slot(), part.width())
                    .write((int) (part.row() - shard.range().begin()), FloatArray.wrap(part.values()));
        }
        Progress.setSteps(shard, slice.steps());
        return new Response();
    }
}
