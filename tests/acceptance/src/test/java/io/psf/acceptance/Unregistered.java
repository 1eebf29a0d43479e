package io.psf.acceptance;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;

/** A function that no class path has a handler of. */
@PsFunction("acceptance.unregistered")
interface Unregistered {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Request request, Shard shard);
}
