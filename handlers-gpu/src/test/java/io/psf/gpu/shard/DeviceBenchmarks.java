package io.psf.gpu.shard;

import io.psf.builtin.initializer.Constant;
import io.psf.builtin.initializer.Normal;
import io.psf.builtin.initializer.Uniform;
import io.psf.gpu.Rule;
import io.psf.gpu.driver.Device;
import io.psf.gpu.report.Measured;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The speed of shards on a device, each case as a ratio to what the card does in the same run. A case that fails, or
 * for which the device has too little memory, is a row that says so.
 */
public final class DeviceBenchmarks {
    private static final long GIGABYTE = 1L << 30;

    private final Device device;
    private final Consumer<Measured> rows;

    private DeviceBenchmarks(Device device, Consumer<Measured> rows) {
        this.device = device;
        this.rows = rows;
    }

    /**
     * Runs all benchmarks, in about a minute.
     *
     * @param rows receives each measurement once it is there
     */
    public static void run(Device device, Consumer<Measured> rows) {
        device.use();
        new DeviceBenchmarks(device, rows).all();
    }

    private void all() {
        Floors floors = Floors.measure(device, rows);
        KernelBenchmarks kernels = new KernelBenchmarks(device, floors);
        measure("gather", 5, kernels::gather);
        measure("gather, width 1", 1, kernels::gatherOneWide);
        measure("gather of Zipf keys", 5, kernels::gatherZipf);
        measure("gather beyond 32 GB", 36, kernels::gatherBeyond32Gigabytes);
        for (boolean ascending : new boolean[] {false, true}) {
            measure("push by key, " + Rule.ADD, 6, () -> kernels.sparse(Rule.ADD, 64, ascending));
            measure("push by key, " + Rule.ADAM, 14, () -> kernels.sparse(Rule.ADAM, 64, ascending));
        }
        measure("push by key, width 1", 1, () -> kernels.sparse(Rule.ADAM, 1, false));
        measure("dense step, width 1", 2, () -> kernels.dense(Rule.ADAM, 1));
        for (Rule rule : Rule.values()) {
            measure("dense step, " + rule, 2, () -> kernels.dense(rule, 64));
        }
        IndexBenchmarks index = new IndexBenchmarks(device);
        measure("find keys", 2, index::find);
        measure("find and gather", 11, index::pull);
        measure("insert keys", 2, () -> index.insert(null));
        measure("insert keys and fill", 15, () -> index.insert(new Constant(0.5f)));
        measure("insert keys and fill", 15, () -> index.insert(new Uniform(-0.01, 0.01, 1)));
        measure("insert keys and fill", 15, () -> index.insert(new Normal(0, 0.01, 1)));
        ShardBenchmarks shards = new ShardBenchmarks(device, floors);
        measure("dense push, " + Rule.ADAM, 2, () -> shards.densePush(Rule.ADAM));
        measure("dense push, " + Rule.ADD, 2, () -> shards.densePush(Rule.ADD));
        measure("gather to page-locked memory", 2, shards::gather);
        measure("pull of 1 row", 2, () -> shards.pull(false, 1, 25));
        measure("pull of 1 row of a growing table", 2, () -> shards.pull(true, 1, 25));
        measure("pull of 2000 keys", 2, () -> shards.pull(false, 2000, 30));
        measure("pull of 2000 keys", 2, () -> shards.pull(true, 2000, 30));
        measure("pulls one after the other", 2, () -> shards.pulls(26, 100, false));
        measure("pulls of a chain", 2, () -> shards.pulls(26, 100, true));
        measure("bags of keys", 2, () -> shards.bags(4096, 20));
        measure("push of 2000 keys", 2, () -> shards.growingPush(2000, false, 50));
        measure("push of 2000 keys", 2, () -> shards.growingPush(2000, true, 50));
        measure("memory of growth", 12, shards::memoryOfGrowth);
        measure("removal", 8, () -> shards.removal(Size.of(1 << 20), Size.of(8 << 20)));
        measure("push to a full table", 2, () -> shards.pushToAFullTable(2000, false));
        measure("push to a full table", 2, () -> shards.pushToAFullTable(2000, true));
        measure("dense push of 1 KB, " + Rule.ADD, 1, () -> shards.smallPush(Rule.ADD));
        measure("dense push of 1 KB, " + Rule.ADAM, 1, () -> shards.smallPush(Rule.ADAM));
        try {
            ClusterBenchmarks.run(rows, "device");
        } catch (RuntimeException | Error e) {
            rows.accept(failed("calls over shared memory", e));
        }
    }

    private void measure(String name, long gigabytes, Supplier<Measured> benchmark) {
        long free = device.free();
        if (free < gigabytes * GIGABYTE && !Size.IS_SMALL) {
            rows.accept(Measured.skipped(name, "needs " + gigabytes + " GB, " + free / GIGABYTE + " GB are free"));
            return;
        }
        try {
            rows.accept(benchmark.get());
        } catch (RuntimeException | Error e) {
            rows.accept(failed(name, e));
        }
    }

    private static Measured failed(String name, Throwable failure) {
        failure.printStackTrace();
        return Measured.skipped(name, String.valueOf(failure));
    }
}
