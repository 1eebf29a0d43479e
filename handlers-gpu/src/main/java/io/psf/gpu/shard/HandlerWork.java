package io.psf.gpu.shard;

import io.psf.api.PsException;
import io.psf.api.array.ElementType;
import io.psf.api.array.FloatArray;
import io.psf.gpu.DeviceArray;
import io.psf.gpu.DeviceKernel;
import io.psf.gpu.Grid;
import io.psf.gpu.driver.Block;
import io.psf.gpu.driver.Device;
import io.psf.gpu.driver.Module;
import io.psf.gpu.driver.Ptx;
import io.psf.runtime.spi.shard.ShardLane;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The operations of {@link io.psf.gpu.DeviceShard} for handlers: memory of one call, copies, kernels of their jars. */
final class HandlerWork {
    private static final Map<Resource, Module> MODULES = new ConcurrentHashMap<>();

    private final Workspace workspace;
    private final Pieces pieces;
    private final HandlerMemory memory;
    private final ShardLane lane;

    /** A resource with kernels, for a device. */
    private record Resource(Device device, Class<?> beside, String name) {}

    HandlerWork(DeviceLane ofDevice, ShardLane lane) {
        this.workspace = ofDevice.workspace();
        this.pieces = ofDevice.pieces();
        this.memory = ofDevice.handlerMemory();
        this.lane = lane;
    }

    DeviceArray array(DeviceColumn column, int rows) {
        return new DeviceArray(column.address(), (long) rows * column.width(), ElementType.FLOAT);
    }

    DeviceArray scratch(long n) {
        if (n < 0) {
            throw new IllegalArgumentException("floats of scratch memory: " + n + " (expected: >= 0)");
        }
        return workspace.operation(
                kernels -> new DeviceArray(allocate(n * Float.BYTES).address(), n, ElementType.FLOAT));
    }

    private Block allocate(long bytes) {
        return memory.allocate(lane.turn(), bytes);
    }

    DeviceArray upload(FloatArray array) {
        return workspace.operation(kernels -> {
            Block block = allocate((long) array.length() * Float.BYTES);
            pieces.in(
                    array,
                    1,
                    (piece, first, n) -> workspace.stream()
                            .copy(piece, block.address() + (long) first * Float.BYTES, (long) n * Float.BYTES));
            workspace.stream().synchronize();
            return new DeviceArray(block.address(), array.length(), ElementType.FLOAT);
        });
    }

    /** Copies rows to the device. */
    DeviceArray upload(int[] rows) {
        return workspace.operation(kernels -> {
            Block block = allocate((long) rows.length * Integer.BYTES);
            if (rows.length > 0) {
                ByteBuffer bytes = workspace.pinned(rows.length * Integer.BYTES);
                bytes.asIntBuffer().put(rows);
                workspace.stream().copyIn(bytes, block.address());
                workspace.stream().synchronize();
            }
            return new DeviceArray(block.address(), rows.length, ElementType.INT);
        });
    }

    FloatArray download(DeviceArray array) {
        if (array.type() != ElementType.FLOAT || array.length() > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("array: " + array.length() + " of " + array.type()
                    + " (expected: at most " + (Integer.MAX_VALUE - 8) + " of FLOAT)");
        }
        FloatArray copy = lane.allocate((int) array.length());
        Workspace.poison(copy);
        ByteBuffer to = copy.offHeap();
        if (to == null) {
            throw new IllegalStateException("scratch memory: on the heap (expected: off the heap)");
        }
        return workspace.operation(kernels -> {
            if (array.length() > 0) {
                workspace.stream().copyOut(array.address(), to);
            }
            workspace.stream().synchronize();
            return copy;
        });
    }

    void launch(DeviceKernel kernel, Grid grid, Object... arguments) {
        long[] bits = new long[arguments.length];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = bits(kernel, i, arguments[i]);
        }
        workspace.operation(kernels -> {
            workspace.stream().launch(module(kernel), kernel.name(), grid, bits);
            workspace.stream().synchronize(); // its errors belong to this launch
            return null;
        });
    }

    private Module module(DeviceKernel kernel) {
        Resource resource = new Resource(workspace.device(), kernel.beside(), kernel.resource());
        return MODULES.computeIfAbsent(
                resource, r -> r.device().module(Ptx.resource(kernel.beside(), kernel.resource()), kernel.resource()));
    }

    /** Returns an argument's bits. */
    static long bits(DeviceKernel kernel, int i, Object argument) {
        if (argument instanceof DeviceArray array) {
            return array.address();
        }
        if (argument instanceof Integer || argument instanceof Long) {
            return ((Number) argument).longValue();
        }
        if (argument instanceof Float f) {
            return Float.floatToRawIntBits(f);
        }
        if (argument instanceof Double d) {
            return Double.doubleToRawLongBits(d);
        }
        throw new PsException(
                PsException.Code.HANDLER_FAILED,
                "argument " + i + " of kernel " + kernel + ": "
                        + (argument == null ? "null" : argument.getClass().getName())
                        + " (expected: a DeviceArray, Integer, Long, Float or Double)");
    }
}
