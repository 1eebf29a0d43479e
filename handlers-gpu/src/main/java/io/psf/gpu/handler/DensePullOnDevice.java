package io.psf.gpu.handler;

import io.psf.api.PsHandler;
import io.psf.builtin.dense.DensePull;
import io.psf.gpu.DeviceShard;

/** Pulls all values of a tensor from a device. */
@PsHandler(function = DensePull.class, preference = 1)
public final class DensePullOnDevice {
    /** Returns a copy of the shard's current values. */
    public DensePull.Response handle(DensePull.Request slice, DeviceShard shard) {
        return new DensePull.Response(shard.download(shard.deviceValues()));
    }
}
