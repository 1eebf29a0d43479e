package io.psf.examples.axpy;

import io.psf.api.PsHandler;
import io.psf.api.array.FloatArray;
import io.psf.gpu.DeviceArray;
import io.psf.gpu.DeviceKernel;
import io.psf.gpu.DeviceShard;
import io.psf.gpu.Grid;

@PsHandler(function = Axpy.class, preference = 1) // serves the shards on devices; AxpyOnHost serves the others
public final class AxpyOnDevice {
    private static final DeviceKernel AXPY = new DeviceKernel(AxpyOnDevice.class, "axpy.ptx", "axpy"); // from axpy.cu
    private static final Grid GRID = new Grid(128, 256, 0);

    public Axpy.Response handle(Axpy.Request slice, DeviceShard shard) {
        DeviceArray y = shard.deviceValues(); // this shard's rows, in the device's memory
        DeviceArray x = shard.upload(slice.x());
        DeviceArray sums = shard.scratch((long) GRID.blocks() * GRID.threads());
        shard.launch(AXPY, GRID, y, slice.alpha(), x, (int) y.length(), sums);
        FloatArray squares = shard.download(sums);
        double norm = 0;
        for (int i = 0; i < squares.length(); i++) {
            norm += squares.get(i);
        }
        return new Axpy.Response(norm);
    }
}
