package io.psf.gpu.shard;

import io.psf.gpu.driver.Device;
import io.psf.gpu.driver.Module;
import io.psf.gpu.driver.Ptx;

/** psf's own kernels, as PTX in its jar. */
record KernelSource(String name, String text) {
    private static final class Builtin {
        static final KernelSource SOURCE =
                new KernelSource("psf.ptx", Ptx.resource(KernelSource.class, "/io/psf/gpu/psf.ptx"));
    }

    static KernelSource builtin() {
        return Builtin.SOURCE;
    }

    Module load(Device device) {
        return device.module(text, name);
    }
}
