package io.psf.gpu.shard;

import io.psf.api.TensorInfo;
import io.psf.api.array.ArrayMemory;
import io.psf.api.array.EncodedFloats;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;
import io.psf.runtime.spi.shard.ShardLane;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Copies values of a shard on a device to scratch memory for answers, in the format of the wire. Used on the shard's
 * lane.
 */
final class DeviceAnswers {
    private final TensorInfo tensor;
    private final ShardLane lane;
    private final DeviceRows rows;
    private final LookUp lookUp;
    private final Pulls pulls;
    private final int width;

    DeviceAnswers(TensorInfo tensor, ShardLane lane, DeviceRows rows, LookUp lookUp, Pulls pulls) {
        this.tensor = tensor;
        this.lane = lane;
        this.rows = rows;
        this.lookUp = lookUp;
        this.pulls = pulls;
        this.width = tensor.width();
    }

    /** Returns all values. */
    FloatArray values() {
        FloatArray all = allocate(rows.count(), FloatType.FLOAT32);
        readAll(all);
        return all;
    }

    /** Returns all values, which may be filled as late as the call is answered. */
    FloatArray values(FloatType wire) {
        FloatArray all = allocate(rows.count(), wire);
        putOff(null, all, () -> readAll(all));
        return all;
    }

    /** Returns the rows of keys. */
    FloatArray gather(LongArray keys) {
        FloatArray gathered = lane.allocate(Math.multiplyExact(keys.length(), width));
        lookUp.gather(keys, gathered);
        return gathered;
    }

    /** Returns the rows of keys, which may be filled as late as the call is answered. */
    FloatArray gather(LongArray keys, FloatType wire) {
        FloatArray gathered = allocate(keys.length(), wire);
        putOff(keys, gathered, () -> lookUp.gather(keys, gathered));
        return gathered;
    }

    /** Returns the sums of bags of keys, as {@link BagSums#write} does. */
    @Nullable
    FloatArray sums(LongArray keys, int[] ends, FloatType wire) {
        return new BagSums(rows).write(keys, ends, allocate(ends.length, wire));
    }

    /** Lets a pull be done together with the others of its chain, or does it now. */
    private void putOff(@Nullable LongArray keys, FloatArray into, Runnable alone) {
        if (!pulls.putOff(lane, rows, keys, into, alone)) {
            alone.run();
        }
    }

    private void readAll(FloatArray all) {
        Workspace.poison(all);
        rows.operation(kernels -> {
            Rows from = rows.values().rowsToRead();
            boolean isConverted = tensor.types().storage().isHalf() || EncodedFloats.of(all) != null;
            ByteBuffer plain = isConverted ? null : all.offHeap();
            if (plain != null) {
                rows.workspace().stream().copyOut(from.address(), plain);
            } else {
                Pieces.Work decode =
                        (piece, first, n) -> kernels.decode(from, (long) first * width, piece, (long) n * width);
                rows.pieces().out(all, width, decode);
            }
            rows.workspace().stream().synchronize();
            return null;
        });
    }

    /** Allocates scratch memory for rows, in a format if kernels convert to it. */
    private FloatArray allocate(int n, FloatType wire) {
        int values = Math.multiplyExact(n, width);
        int block = FloatType.block(width);
        // The host fills rows that have no kernel for their initial values. Pieces of very long rows begin at no block.
        boolean isPlain = wire == FloatType.INT8
                && (tensor.grows() && rows.generator() == null || block != width && width > Workspace.PIECE / block);
        if (isPlain || wire == FloatType.FLOAT32) {
            return lane.allocate(values);
        }
        int bytes = Math.toIntExact(wire.bytes(n, width));
        ByteBuffer memory = lane.allocate((int) ((bytes + 3L) / Float.BYTES)).offHeap();
        if (memory == null) {
            return lane.allocate(values);
        }
        ByteBuffer exact = memory.slice(0, bytes).order(ByteOrder.LITTLE_ENDIAN);
        return wire == FloatType.INT8 ? ArrayMemory.viewBlocks(exact, block, values) : ArrayMemory.view(exact, wire);
    }
}
