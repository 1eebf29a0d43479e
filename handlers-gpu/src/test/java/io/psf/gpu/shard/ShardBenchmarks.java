package io.psf.gpu.shard;

import io.psf.api.Range;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;
import io.psf.builtin.initializer.Normal;
import io.psf.builtin.policy.PolicyOptions;
import io.psf.builtin.policy.RowPolicy;
import io.psf.gpu.Rule;
import io.psf.gpu.driver.Device;
import io.psf.gpu.report.Measured;
import io.psf.runtime.spi.shard.Slice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;

/** Whole operations of a shard, from and to page-locked memory, without a server. */
final class ShardBenchmarks {
    private static final int WIDTH = 64;
    private static final int ROWS = Size.of(1 << 20);
    private static final int FLOATS = ROWS * WIDTH;
    private static final double BYTES = 4.0 * FLOATS;

    private final Device device;
    private final Floors floors;

    ShardBenchmarks(Device device, Floors floors) {
        this.device = device;
        this.floors = floors;
    }

    /** Runs an operation of a shard of {@code rows} rows. Its lane has scratch memory for so many floats. */
    private double on(long rows, Rule rule, int floats, ToDoubleFunction<CudaShard> operation) {
        return on(rows, rule, floats, (shard, lane) -> operation.applyAsDouble(shard));
    }

    private double on(long rows, Rule rule, int floats, ToDoubleBiFunction<CudaShard, NoLane> operation) {
        float[] arguments = rule == Rule.ADAM ? new float[] {0.01f, 0.9f, 0.999f, 1e-7f} : new float[] {1};
        boolean grows = rows == TensorInfo.GROWING;
        Slice slice = new Slice(
                new TensorInfo(TensorId.of("benchmark"), rows, WIDTH),
                0,
                new Range(0, grows ? rows - 1 : rows),
                "device:0",
                rule.create(arguments),
                shard -> {});
        DeviceLane ofDevice = DeviceLane.acquire(device);
        Workspace workspace = ofDevice.workspace();
        NoLane lane = new NoLane(pinned(workspace, floats));
        CudaShard shard = new CudaShard(slice, ofDevice, new ShardMemory(workspace), lane);
        try {
            if (grows && !shard.generate(new Normal(0, 0.01, 1))) {
                throw new IllegalStateException("initial values: not generated on the device");
            }
            shard.moveToLane();
            return operation.applyAsDouble(shard, lane);
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
        double seconds = on(4L * ROWS, Rule.ADD, FLOATS, shard -> {
            DeviceLane ofDevice = DeviceLane.acquire(device);
            Workspace workspace = ofDevice.workspace();
            try {
                LongArray keys = keys(workspace, ROWS, 4 * ROWS);
                return Timing.whole(() -> shard.gather(keys));
            } finally {
                ofDevice.release();
            }
        });
        return Measured.rate(
                "gather of 1M of 4M rows of 64 floats to page-locked memory",
                BYTES / 1e9 / seconds,
                floors.out(),
                Double.NaN);
    }

    /** Reads rows by key, from page-locked keys to page-locked memory: a call without its transport. */
    Measured pull(boolean grows, int n, double wantedMicros) {
        double seconds = on(grows ? TensorInfo.GROWING : ROWS, Rule.ADAM, n * WIDTH, shard -> {
            DeviceLane ofDevice = DeviceLane.acquire(device);
            Workspace workspace = ofDevice.workspace();
            try {
                LongArray keys = keys(workspace, n, ROWS);
                if (grows) {
                    shard.rows(keys, new int[n]);
                }
                return Timing.whole(() -> shard.gather(keys));
            } finally {
                ofDevice.release();
            }
        });
        return time(
                "pull of " + n + " of " + (grows ? n + " rows of a growing table" : "1M rows"), seconds, wantedMicros);
    }

    /** Reads rows for the calls of a chain, which one kernel does, or for each call by itself. */
    Measured pulls(int calls, int n, boolean areTogether) {
        double seconds = on(ROWS, Rule.ADD, calls * n * WIDTH, (shard, lane) -> {
            DeviceLane ofDevice = DeviceLane.acquire(device);
            Workspace workspace = ofDevice.workspace();
            try {
                List<LongArray> keys = new ArrayList<>();
                for (int i = 0; i < calls; i++) {
                    keys.add(keys(workspace, n, ROWS));
                }
                return Timing.whole(() -> {
                    if (areTogether) {
                        lane.beginChain();
                    }
                    keys.forEach(each -> shard.gatherForAnswer(each, FloatType.FLOAT32));
                    if (areTogether) {
                        lane.endChain().forEach(Runnable::run);
                    }
                });
            } finally {
                ofDevice.release();
            }
        });
        return Measured.time(
                calls + " pulls of " + n + " keys, " + (areTogether ? "of one chain" : "one after the other"),
                seconds,
                Double.NaN);
    }

    /** Adds the rows of bags of keys. */
    Measured bags(int bags, int keysOfBag) {
        double seconds = on(ROWS, Rule.ADD, bags * WIDTH, shard -> {
            DeviceLane ofDevice = DeviceLane.acquire(device);
            Workspace workspace = ofDevice.workspace();
            try {
                LongArray keys = keys(workspace, bags * keysOfBag, ROWS);
                int[] ends = new int[bags];
                Arrays.setAll(ends, bag -> (bag + 1) * keysOfBag);
                return Timing.whole(() -> shard.sums(keys, ends, FloatType.FLOAT32));
            } finally {
                ofDevice.release();
            }
        });
        return Measured.time("sums of " + bags + " bags of " + keysOfBag + " keys", seconds, Double.NaN);
    }

    /** Steps rows of a growing table by Adam: the same rows each time, or new ones. */
    Measured growingPush(int n, boolean areNew, double wantedMicros) {
        int pages = areNew ? Size.of(4096) : 1;
        double seconds = on(TensorInfo.GROWING, Rule.ADAM, n * WIDTH, shard -> {
            DeviceLane ofDevice = DeviceLane.acquire(device);
            Workspace workspace = ofDevice.workspace();
            try {
                FloatArray update = shard.allocate(n * WIDTH);
                LongArray keys = LongArray.view(workspace.hostMemory(n * Long.BYTES));
                int[] page = {0};
                fill(keys, 0);
                return Timing.whole(() -> {
                    if (areNew) {
                        fill(keys, (long) n * (page[0]++ % pages));
                    }
                    shard.optimizer().apply(shard, keys, update);
                });
            } finally {
                ofDevice.release();
            }
        });
        return time("Adam push of " + n + (areNew ? " new" : "") + " keys to a growing table", seconds, wantedMicros);
    }

    private static void fill(LongArray keys, long first) {
        for (int i = 0; i < keys.length(); i++) {
            keys.set(i, (first + i) * 0x9E3779B97F4A7C15L);
        }
    }

    /** Removes rows of a growing table, as an eviction does, and creates them again, which is not timed. */
    Measured removal(int n, int rows) {
        double seconds = on(TensorInfo.GROWING, Rule.ADAM, WIDTH, shard -> {
            DeviceLane ofDevice = DeviceLane.acquire(device);
            Workspace workspace = ofDevice.workspace();
            try {
                LongArray all = LongArray.view(workspace.hostMemory(rows * Long.BYTES));
                fill(all, 0);
                LongArray some = all.slice(rows / 3, rows / 3 + n);
                double least = Double.MAX_VALUE;
                for (int i = 0; i < Size.times(5); i++) {
                    shard.rows(all, new int[rows]);
                    long began = System.nanoTime();
                    shard.removeRows(some);
                    least = Math.min(least, (System.nanoTime() - began) / 1e9);
                }
                return least;
            } finally {
                ofDevice.release();
            }
        });
        return Measured.time(
                "removal of " + n / (1 << 20) + "M of " + rows / (1 << 20) + "M rows of 64 floats with Adam's slots",
                seconds,
                Double.NaN);
    }

    /** Pushes new keys to a full table: each push removes as many rows, those that were touched least recently. */
    Measured pushToAFullTable(int n, boolean leastFrequentFirst) {
        double seconds = on(TensorInfo.GROWING, Rule.ADAM, n * WIDTH, shard -> {
            DeviceLane ofDevice = DeviceLane.acquire(device);
            Workspace workspace = ofDevice.workspace();
            try {
                RowPolicy.attach(shard, PolicyOptions.NONE.withLimits(ROWS, 0, leastFrequentFirst), 1);
                FloatArray update = shard.allocate(n * WIDTH);
                LongArray keys = LongArray.view(workspace.hostMemory(n * Long.BYTES));
                long[] next = {0};
                Runnable push = () -> {
                    fill(keys, next[0]);
                    next[0] += n;
                    RowPolicy.of(shard)
                            .apply(
                                    shard,
                                    new RowPolicy.Part(keys, update),
                                    true,
                                    part -> shard.optimizer().apply(shard, part.keys(), part.values()));
                };
                while (next[0] < ROWS) {
                    push.run();
                }
                return Timing.whole(push);
            } finally {
                ofDevice.release();
            }
        });
        return Measured.time(
                "Adam push of " + n + " new keys to a full table of 1M rows, " + (leastFrequentFirst ? "LFU" : "LRU"),
                seconds,
                Double.NaN);
    }

    private static Measured time(String name, double seconds, double wantedMicros) {
        return new Measured(name, seconds * 1e6, "us", wantedMicros, 1, "floor: the goal");
    }

    /** Grows a table, and compares its rows' bytes with the most memory that was in use meanwhile. */
    Measured memoryOfGrowth() {
        int n = Size.of(1 << 16);
        int calls = Size.times(200);
        long before = device.free();
        double part = on(TensorInfo.GROWING, Rule.ADAM, n * WIDTH, shard -> {
            DeviceLane ofDevice = DeviceLane.acquire(device);
            Workspace workspace = ofDevice.workspace();
            try {
                FloatArray update = shard.allocate(n * WIDTH);
                LongArray keys = LongArray.view(workspace.hostMemory(n * Long.BYTES));
                long least = Long.MAX_VALUE;
                for (int call = 0; call < calls; call++) {
                    fill(keys, (long) call * n);
                    shard.optimizer().apply(shard, keys, update);
                    least = Math.min(least, device.free());
                }
                double needed = (double) calls * n * (3 * 4.0 * WIDTH + 4 + 8 + 16 * 4 / 3.0);
                return needed / (before - least);
            } finally {
                ofDevice.release();
            }
        });
        return new Measured(
                "growing Adam table of 13M rows of 64 floats: its bytes",
                part,
                "of the peak",
                1,
                0.9,
                "index included");
    }

    Measured smallPush(Rule rule) {
        return Measured.time("dense push of 1 KB, " + rule, push(4, rule), Double.NaN);
    }
}
