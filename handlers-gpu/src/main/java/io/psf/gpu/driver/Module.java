package io.psf.gpu.driver;

import io.psf.api.PsException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;

/** The kernels of a PTX, compiled for a device. Thread-safe. */
public final class Module {
    private final CUmodule module;
    private final String name;
    private final Map<String, CUfunction> functions = new ConcurrentHashMap<>();

    private Module(CUmodule module, String name) {
        this.module = module;
        this.name = name;
    }

    static Module load(String ptx, String name, String device) {
        CUmodule module = new CUmodule();
        Cuda.check(JCudaDriver.cuModuleLoadData(module, ptx), "PTX " + name + " on " + device);
        return new Module(module, name);
    }

    /**
     * Returns a kernel.
     *
     * @throws PsException with {@code BAD_REQUEST} if the PTX has no entry of that name
     */
    CUfunction function(String kernel) {
        return functions.computeIfAbsent(kernel, this::find);
    }

    private CUfunction find(String kernel) {
        CUfunction function = new CUfunction();
        int result = JCudaDriver.cuModuleGetFunction(function, module, kernel);
        if (result == CUresult.CUDA_ERROR_NOT_FOUND) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "kernel \"" + kernel + "\": not in " + name + " (expected: an entry of the PTX; declare it extern"
                            + " \"C\" __global__)");
        }
        Cuda.check(result, "kernel \"" + kernel + "\" of " + name);
        return function;
    }
}
