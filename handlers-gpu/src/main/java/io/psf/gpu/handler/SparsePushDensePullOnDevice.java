package io.psf.gpu.handler;

import io.psf.api.PsHandler;
import io.psf.builtin.push.Pushes;
import io.psf.builtin.sparse.SparsePushDensePull;
import io.psf.gpu.DeviceShard;
import java.util.concurrent.CompletionStage;

/** Pushes an update of some rows on a device, and pulls all values with the update applied. */
@PsHandler(function = SparsePushDensePull.class, preference = 1)
public final class SparsePushDensePullOnDevice {
    /** Passes the update to the shard's optimizer, on arrival or with the round, then returns a copy of all values. */
    public CompletionStage<SparsePushDensePull.Response> handle(SparsePushDensePull.Request slice, DeviceShard shard) {
        return Pushes.of(shard)
                .sparse(
                        slice.keys(),
                        slice.update(),
                        () -> new SparsePushDensePull.Response(shard.download(shard.deviceValues())));
    }
}
