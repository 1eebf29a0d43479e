package io.psf.gpu.shard;

import io.psf.api.array.FloatArray;
import io.psf.runtime.spi.shard.ShardLane;
import java.util.Map;
import java.util.TreeMap;

/**
 * The sums of a shard's rounds, which are in the memory of the host: each is copied to the device once, complete. Used
 * on the shard's lane.
 */
final class RoundSums {
    private final Workspace workspace;
    private final ShardLane lane;
    private final Map<String, FloatArray> sums = new TreeMap<>();

    RoundSums(Workspace workspace, ShardLane lane) {
        this.workspace = workspace;
        this.lane = lane;
    }

    /** Returns the sum of a slot, [n] float32; zeros if the slot is new or had another length. */
    FloatArray of(String slot, int n) {
        FloatArray sum = sums.get(slot);
        if (sum == null || sum.length() != n) {
            lane.requireMayChange("slot \"" + slot + "\"");
            sum = FloatArray.view(workspace.hostMemory(Math.multiplyExact(n, Float.BYTES)));
            sum.fill(0);
            sums.put(slot, sum);
        }
        return sum;
    }

    /** Returns the bytes of all sums. */
    long bytes() {
        return sums.values().stream()
                .mapToLong(sum -> (long) sum.length() * Float.BYTES)
                .sum();
    }
}
