package io.psf.acceptance;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;

/** Counts the slots of a tensor's shards; every shard answers, and no kind of shard has a handler of this interface. */
@PsFunction(value = "acceptance.count.slots", readOnly = true)
interface CountSlots {
    record Request(TensorId tensor) {}

    record Response(@Reduce(SUM) int slots) {}

    Response handle(Request slice, Shard shard);
}
