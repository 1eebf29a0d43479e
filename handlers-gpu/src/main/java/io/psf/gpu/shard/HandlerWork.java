package io.psf.gpu.shard;

import io.psf.api.CallInfo;
import io.psf.api.PsException;
import io.psf.api.array.ElementType;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.gpu.DeviceArray;
import io.psf.gpu.DeviceKernel;
import io.psf.gpu.Grid;
import io.psf.gpu.driver.Block;
import io.psf.gpu.driver.Module;
import io.psf.gpu.driver.Ptx;
import io.psf.runtime.server.shard.ShardLane;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a handler does on a device beside the shard's own operations: memory of one call, copies, kernels of its jar. */
final class HandlerWork {
    private final Workspace workspace;
    private final ShardLane lane;
    /** The memory of the call {@link #owner}. */
    private final List<Block> blocks = new ArrayList<>();

    private @Nullable CallInfo owner;

    HandlerWork(Workspace workspace, ShardLane lane) {
        this.workspace = workspace;
        this.lane = lane;
    }

    DeviceArray array(Column column, int rows) {
        return new DeviceArray(column.address(), (long) rows * column.width(), ElementType.FLOAT);
    }

    DeviceArray scratch(long n) {
        if (n < 0) {
            throw new IllegalArgumentException("floats of scratch memory: " + n + " (expected: >= 0)");
        }
        return new DeviceArray(allocate(n * Float.BYTES).address(), n, ElementType.FLOAT);
    }

    /** Allocates memory until the next call on this shard. */
    private Block allocate(long bytes) {
        workspace.begin();
        if (!lane.call().equals(owner)) {
            free();
            owner = lane.call();
        }
        Block block = workspace.device().allocate(bytes, "a handler");
        blocks.add(block);
        return block;
    }

    DeviceArray upload(FloatArray array) {
        Block block = allocate((long) array.length() * Float.BYTES);
        workspace
                .pieces()
                .in(
                        array,
                        1,
                        (piece, first, n) -> workspace.stream()
                                .copy(piece, block.address() + (long) first * Float.BYTES, (long) n * Float.BYTES));
        return new DeviceArray(block.address(), array.length(), ElementType.FLOAT);
    }

    /** Copies the rows of keys to the device. */
    DeviceArray rows(LongArray keys, int[] rows) {
        Block block = allocate((long) rows.length * Integer.BYTES);
        if (rows.length > 0) {
            ByteBuffer bytes = workspace.pinned(rows.length * Integer.BYTES);
            bytes.asIntBuffer().put(rows);
            workspace.stream().copyIn(bytes, block.address());
            workspace.stream().synchronize();
        }
        return new DeviceArray(block.address(), keys.length(), ElementType.INT);
    }

    FloatArray download(DeviceArray array) {
        if (array.type() != ElementType.FLOAT || array.length() > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("array: " + array.length() + " of " + array.type()
                    + " (expected: at most " + (Integer.MAX_VALUE - 8) + " of FLOAT)");
        }
        workspace.begin();
        FloatArray copy = lane.allocate((int) array.length());
        Workspace.poison(copy);
        ByteBuffer to = copy.offHeap();
        if (to == null) {
            throw new IllegalStateException("scratch memory: on the heap (expected: off the heap)");
        }
        try {
            if (array.length() > 0) {
                workspace.stream().copyOut(array.address(), to);
            }
            workspace.stream().synchronize();
        } catch (RuntimeException | Error e) {
            workspace.settle();
            throw e;
        }
        return copy;
    }

    void launch(DeviceKernel kernel, Grid grid, Object... arguments) {
        workspace.begin();
        Module module = workspace.device().module(Ptx.resource(kernel.beside(), kernel.resource()), kernel.resource());
        long[] bits = new long[arguments.length];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = bits(kernel, i, arguments[i]);
        }
        workspace.stream().launch(module, kernel.name(), grid, bits);
        workspace.stream().synchronize(); // its errors are those of this launch
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

    /** Gives the memory of the last call up. */
    void free() {
        blocks.forEach(workspace.device()::free);
        blocks.clear();
    }
}
