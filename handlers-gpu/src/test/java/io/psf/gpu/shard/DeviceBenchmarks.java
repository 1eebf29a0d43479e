package io.psf.gpu.shard;

import io.psf.gpu.Rule;
import io.psf.gpu.driver.Device;
import io.psf.gpu.report.Measured;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The speed of shards on a device, each case as a ratio to what the card does in the same run. A case that fails, or for
 * which the device has too little memory, is a row that says so.
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
        measure("add to rows", 5, kernels::scatterAdd);
        measure("dense step, " + Rule.ADAM, 2, () -> kernels.dense(Rule.ADAM));
        for (Rule rule : Rule.values()) {
            if (rule != Rule.ADAM) {
                measure("dense step, " + rule, 2, () -> kernels.dense(rule));
            }
        }
        IndexBenchmarks index = new IndexBenchmarks(device);
        measure("find keys", 2, index::find);
        measure("insert keys", 2, index::insert);
        ShardBenchmarks shards = new ShardBenchmarks(device, floors);
        measure("dense push, " + Rule.ADAM, 2, () -> shards.densePush(Rule.ADAM));
        measure("dense push, " + Rule.ADD, 2, () -> shards.densePush(Rule.ADD));
        measure("gather to page-locked memory", 2, shards::gather);
        measure("gather of 1 row", 1, shards::smallGather);
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
        if (free < gigabytes * GIGABYTE) {
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
