package io.psf.gpu.driver;

import static jcuda.driver.CUjit_option.CU_JIT_ERROR_LOG_BUFFER;
import static jcuda.driver.CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;

import io.psf.api.PsException;
import io.psf.api.array.ArrayMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import jcuda.Pointer;
import jcuda.driver.CUfunction;
import jcuda.driver.CUfunction_attribute;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/** The kernels of a PTX, compiled for a device. Thread-safe. */
public final class Module {
    /** The most bytes of the driver's messages on a PTX. */
    private static final int LOG = 8192;

    private static final Pattern ENTRY = Pattern.compile("\\.entry\\s+([\\w$]+)");

    private final CUmodule module;
    private final String name;
    private final Map<String, CUfunction> functions = new ConcurrentHashMap<>();

    private Module(CUmodule module, String name) {
        this.module = module;
        this.name = name;
    }

    /**
     * Loads PTX. It is direct memory: with an array of the heap, the garbage collector would wait for the compilation.
     */
    static Module load(String ptx, String name, String device) {
        byte[] bytes = ptx.getBytes(StandardCharsets.UTF_8);
        ByteBuffer text = ByteBuffer.allocateDirect(bytes.length + 1).put(bytes).put((byte) 0);
        ByteBuffer log = ByteBuffer.allocateDirect(LOG);
        CUmodule module = new CUmodule();
        long address = ArrayMemory.address(log);
        int result;
        if (address == 0) {
            result = JCudaDriver.cuModuleLoadData(module, ptx);
        } else {
            ByteBuffer values = ByteBuffer.allocateDirect(2 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            values.putLong(0, address).putLong(Long.BYTES, LOG);
            int[] options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
            result = JCudaDriver.cuModuleLoadDataEx(
                    module, Pointer.to(text), options.length, options, Pointer.to(values));
        }
        if (result != 0) {
            PsException failure = Cuda.failure(result, "PTX " + name + " on " + device);
            throw new PsException(failure.code(), failure.detail() + messages(log));
        }
        return withKernels(module, ptx, name);
    }

    /**
     * Loads what was assembled of PTX. Returns null if the driver refuses it, such as a driver that is older than the
     * assembler.
     */
    static @Nullable Module load(byte[] binary, String ptx, String name) {
        CUmodule module = new CUmodule();
        return JCudaDriver.cuModuleLoadData(module, binary) == 0 ? withKernels(module, ptx, name) : null;
    }

    private static Module withKernels(CUmodule module, String ptx, String name) {
        Module loaded = new Module(module, name);
        try {
            loaded.loadKernels(ptx);
        } catch (RuntimeException e) {
            JCudaDriver.cuModuleUnload(module);
            throw e;
        }
        return loaded;
    }

    /**
     * Loads all kernels. The driver would load each when it is first used, by default, which fails if the memory of the
     * device is full by then.
     */
    private void loadKernels(String ptx) {
        Matcher entry = ENTRY.matcher(ptx);
        int[] unused = new int[1];
        while (entry.find()) {
            String kernel = entry.group(1);
            CUfunction function = new CUfunction();
            int result = JCudaDriver.cuModuleGetFunction(function, module, kernel);
            if (result == 0) {
                functions.put(kernel, function);
                result = JCudaDriver.cuFuncGetAttribute(
                        unused, CUfunction_attribute.CU_FUNC_ATTRIBUTE_NUM_REGS, function);
            }
            if (result != CUresult.CUDA_ERROR_NOT_FOUND) { // a comment may look like an entry
                Cuda.check(result, "kernel \"" + kernel + "\" of " + name);
            }
        }
    }

    /** Returns the driver's messages on one line, after a colon; empty if there are none. */
    private static String messages(ByteBuffer log) {
        byte[] bytes = new byte[log.capacity()];
        log.get(0, bytes);
        String text = new String(bytes, StandardCharsets.UTF_8);
        int end = text.indexOf('\0');
        String lines = (end < 0 ? text : text.substring(0, end))
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .collect(Collectors.joining("; "));
        return lines.isEmpty() ? "" : ": " + lines;
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
