package io.psf.builtin.internal.states;

import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.Range;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.internal.named.BadRequest;
import io.psf.builtin.optimizer.Progress;
import io.psf.builtin.push.Pushes;
import java.util.List;

/** Replaces the optimizer's state of a tensor that does not grow. The values do not change. */
@PsFunction("psf.kv.states.store")
public interface StoreStates {
    /**
     * The state. State of which there is no part becomes zero, as in a new tensor. The call fails with {@code
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
        require(slice, "steps", slice.steps(), slice.steps() >= 0, "at least 0");
        for (StatePart part : slice.parts()) {
            require(slice, part, shard);
            var unused = BadRequest.ifIllegal(() -> shard.storedSlot(part.slot(), part.width()));
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

    private static void require(Request slice, StatePart part, StoredShard shard) {
        String own = shard.optimizer().name();
        require(slice, "optimizer", part.optimizer(), part.optimizer().equals(own), own + ", the tensor's optimizer");
        require(slice, "slot", part.slot(), !Pushes.ownsSlot(part.slot()), "a slot of the optimizer");
        int length = part.values().length;
        int rows = part.width() < 1 || length % part.width() != 0 ? 0 : length / part.width();
        require(slice, "values", length, rows > 0, "rows of a slot of width " + part.width());
        Range range = shard.range();
        boolean isHere = !shard.spec().grows() && range.contains(part.row()) && rows <= range.end() - part.row();
        require(slice, "rows from " + part.row(), rows, isHere, "rows of " + range + " of a tensor that does not grow");
    }

    private static void require(Request slice, String what, Object found, boolean holds, String expected) {
        if (!holds) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    what + " of the states of tensor \"" + slice.tensor() + "\": " + found + " (expected: " + expected
                            + ")");
        }
    }
}
