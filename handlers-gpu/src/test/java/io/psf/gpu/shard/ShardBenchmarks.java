package io.psf.gpu.shard;

import io.psf.api.Range;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.gpu.Rule;
import io.psf.gpu.driver.Device;
import io.psf.gpu.report.Measured;
import io.psf.runtime.spi.shard.Slice;
import java.util.function.ToDoubleFunction;

/** Whole operations of a shard, from and to page-locked memory, without a server. */
final class ShardBenchmarks {
    private static final int WIDTH = 64;
    private static final int ROWS = 1 << 20;
    private static final int FLOATS = ROWS * WIDTH;
    private static final double BYTES = 4.0 * FLOATS;

    private final Device device;
    private final Floors floors;

    ShardBenchmarks(Device device, Floors floors) {
        this.device = device;
        this.floors = floors;
    }

    /** Runs an operation of a shard of {@code rows} rows. Its lane has scratch memory for so many floats. */
    private double on(int rows, Rule rule, int floats, ToDoubleFunction<CudaShard> operation) {
        float[] arguments = rule == Rule.ADAM ? new float[] {0.01f, 0.9f, 0.999f, 1e-7f} : new float[] {1};
        Slice slice = new Slice(
                new TensorInfo(TensorId.of("benchmark"), rows, WIDTH),
                0,
                new Range(0, rows),
                "device:0",
                rule.create(arguments),
                shard -> {});
        Workspace workspace = Workspace.acquire(device);
        CudaShard shard = new CudaShard(slice, new ShardMemory(workspace), new NoLane(pinned(workspace, floats)));
        try {
            return operation.applyAsDouble(shard);
        } finally {
            shard.giveUp();
            device.trim();
        }
    }

    private static FloatArray pinned(Workspace workspace, int floats) {
        FloatArray array = FloatArray.view(workspace.hostMemory(floats * Float.BYTES));
        array.fill(0.01f);
        return array;
    }

    private static LongArray keys(Workspace workspace, int n, int rows) {
        LongArray keys = LongArray.view(workspace.hostMemory(n * Long.BYTES));
        for (int i = 0; i < n; i++) {
            keys.set(i, KernelBenchmarks.scattered(i) % rows);
        }
        return keys;
    }

    private double push(int rows, Rule rule) {
        int floats = rows * WIDTH;
        return on(rows, rule, floats, shard -> {
            FloatArray update = shard.allocate(floats);
            return Timing.whole(() -> shard.optimizer().apply(shard, update));
        });
    }

    Measured densePush(Rule rule) {
        return Measured.rate(
                "dense push of 256 MB of page-locked memory, " + rule,
                BYTES / 1e9 / push(ROWS, rule),
                floors.in(),
                0.85);
    }

    Measured gather() {
        double seconds = on(4 * ROWS, Rule.ADD, FLOATS, shard -> {
            Workspace workspace = Workspace.acquire(device);
            try {
                LongArray keys = keys(workspace, ROWS, 4 * ROWS);
                return Timing.whole(() -> shard.gather(keys));
            } finally {
                workspace.release();
            }
        });
        return Measured.rate(
                "gather of 1M of 4M rows of 64 floats to page-locked memory",
                BYTES / 1e9 / seconds,
                floors.out(),
                Double.NaN);
    }

    Measured smallGather() {
        LongArray key = LongArray.of(7);
        double seconds = on(1000, Rule.ADD, WIDTH, shard -> Timing.whole(() -> shard.gather(key)));
        return Measured.time("gather of 1 row of 64 floats", seconds, Double.NaN);
    }

    Measured smallPush(Rule rule) {
        return Measured.time("dense push of 1 KB, " + rule, push(4, rule), Double.NaN);
    }
}
