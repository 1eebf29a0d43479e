package io.psf.gpu.handler;

import io.psf.api.PsHandler;
import io.psf.builtin.dense.DensePushPull;
import io.psf.builtin.push.Pushes;
import io.psf.gpu.DeviceShard;
import java.util.concurrent.CompletionStage;

/** Pushes an update of a whole tensor on a device, and pulls the values with the update applied. */
@PsHandler(function = DensePushPull.class, preference = 1)
public final class DensePushPullOnDevice {
    /** Passes the update to the shard's optimizer, on arrival or with the round, then returns a copy of the values. */
    public CompletionStage<DensePushPull.Response> handle(DensePushPull.Request slice, DeviceShard shard) {
        return Pushes.of(shard)
                .dense(slice.update(), () -> new DensePushPull.Response(shard.download(shard.deviceValues())));
    }
}
