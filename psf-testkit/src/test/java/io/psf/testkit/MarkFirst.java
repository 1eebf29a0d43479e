package io.psf.testkit;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;

/** A wrong function: what it leaves, in the values or in a slot, depends on where slices begin. */
@PsFunction("test.mark.first")
interface MarkFirst {
    record Request(TensorId tensor, boolean inSlot) {}

    record Response() {}

    default Response handle(Request slice, Shard shard) {
        (slice.inSlot() ? shard.slot("marks", 1) : shard.values()).set(0, 1000);
        return new Response();
    }
}
