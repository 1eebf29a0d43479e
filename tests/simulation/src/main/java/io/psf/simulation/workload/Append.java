package io.psf.simulation.workload;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;

/** Appends a number to the log of each slice, which the oracle holds. */
@PsFunction("simulation.append")
interface Append {
    record Request(TensorId log, int number) {}

    record Response() {}

    default Response handle(Request request, Shard shard) {
        AppendLog.current().appended(shard.slice(), shard.call().worker(), request.number());
        return new Response();
    }
}
