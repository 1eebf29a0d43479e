package io.psf.testkit;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;

/** Fails on the shard that owns a key; {@code local} is wrong, and looks at the local row. */
@PsFunction("test.refuse")
interface Refuse {
    record Request(TensorId tensor, long key, boolean local) {}

    record Response() {}

    default Response handle(Request slice, Shard shard) {
        if (slice.local() ? shard.rows() > slice.key() : shard.range().contains(slice.key())) {
            throw new IllegalStateException("key " + slice.key());
        }
        return new Response();
    }
}
