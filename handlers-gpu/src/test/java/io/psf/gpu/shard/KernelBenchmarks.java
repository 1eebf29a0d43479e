package io.psf.gpu.shard;

import io.psf.api.Range;
import io.psf.api.array.FloatType;
import io.psf.builtin.optimizer.Correction;
import io.psf.gpu.Rule;
import io.psf.gpu.driver.Device;
import io.psf.gpu.report.Measured;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.stream.IntStream;

/** Kernels that move rows and that step optimizers, by the bytes that they must move. */
final class KernelBenchmarks {
    private static final int WIDTH = 64;
    private static final int TABLE = Size.of(1 << 24);
    private static final int ITEMS = Size.of(1 << 20);
    private static final Range ALL = new Range(0, TABLE);

    private final Device device;
    private final Floors floors;

    KernelBenchmarks(Device device, Floors floors) {
        this.device = device;
        this.floors = floors;
    }

    /** Returns numbers from 0 to 2^24 - 1 in random order, each once: a bijection of 24 bits. */
    static int scattered(int i) {
        int mask = TABLE - 1;
        int x = (i + 77) & mask;
        x = (x * 0x2C9277B5) & mask;
        x ^= x >>> 12;
        x = (x * 0x5851F42D) & mask;
        x ^= x >>> 11;
        return x;
    }

    private static ByteBuffer keys(boolean ascending) {
        long[] all =
                IntStream.range(0, ITEMS).mapToLong(KernelBenchmarks::scattered).toArray();
        if (ascending) {
            Arrays.sort(all);
        }
        return buffer(all);
    }

    private static ByteBuffer buffer(long[] all) {
        ByteBuffer keys = ByteBuffer.allocateDirect(ITEMS * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        keys.asLongBuffer().put(all);
        return keys;
    }

    /** Copies rows by key, from keys that are on the device. */
    Measured gather() {
        return gather("gather 1M of 16M rows of 64 floats", TABLE, WIDTH, keys(false), 0.8);
    }

    Measured gatherOneWide() {
        return gather("gather 1M of 16M rows of 1 float", TABLE, 1, keys(false), Double.NaN);
    }

    /** Keys of which the most frequent ones are read from the cache: the bytes may exceed those of a copy. */
    Measured gatherZipf() {
        return gather(
                "gather 1M Zipf keys of 16M rows of 64 floats",
                TABLE,
                WIDTH,
                buffer(Zipf.keys(ITEMS, TABLE)),
                Double.NaN);
    }

    /** Rows whose addresses need more than 35 bits. */
    Measured gatherBeyond32Gigabytes() {
        int rows = Size.of(1 << 27) + 1024;
        long[] keys = new long[ITEMS];
        for (int i = 0; i < ITEMS; i++) {
            keys[i] = (scattered(i) * 8L + i % 8) % rows;
        }
        return gather("gather 1M of 134M rows of 64 floats, 34 GB", rows, WIDTH, buffer(keys), Double.NaN);
    }

    private Measured gather(String name, int rows, int width, ByteBuffer keys, double wanted) {
        long ofRow = 4L * width;
        try (Lent lent = new Lent(device)) {
            Kernels kernels = lent.workspace().kernels();
            long values = lent.filled(rows * ofRow, 0);
            long into = lent.filled(ITEMS * ofRow, 0);
            Items items = new Items(lent.copied(keys), ITEMS, 0, ITEMS);
            long status = new Status(lent.memory()).address();
            Rows of = new Rows(values, width, FloatType.FLOAT32);
            double seconds = Timing.tenQueued(
                    lent.workspace().stream(), () -> kernels.pullRange(items, new Range(0, rows), of, into, status));
            return Measured.rate(name, ITEMS * (2.0 * ofRow + 8) / 1e9 / seconds, floors.copy(), wanted);
        }
    }

    /** Steps rows by an update that is on the device, with all that a push launches after the copies. */
    Measured sparse(Rule rule, int width, boolean ascending) {
        long ofRow = 4L * width;
        RuleKernel kernel = kernel(rule);
        int states = kernel.state().size();
        try (Lent lent = new Lent(device)) {
            Kernels kernels = lent.workspace().kernels();
            long values = lent.filled(TABLE * ofRow, 0);
            long first = states > 0 ? lent.filled(TABLE * ofRow, 0) : 0;
            long second = states > 1 ? lent.filled(TABLE * ofRow, 0) : 0;
            long ofRows = kernel.ofRows() == null ? 0 : lent.filled(4L * TABLE, 0);
            long update = lent.filled(ITEMS * ofRow, Float.floatToRawIntBits(0.01f));
            long keys = lent.copied(keys(ascending));
            long rows = lent.filled(4L * ITEMS, 0);
            int entries = Claims.entriesFor(ITEMS);
            Claims claims = ascending ? Claims.NONE : new Claims(lent.filled(8L * entries, 0), entries - 1);
            long status = new Status(lent.memory()).address();
            Stepped stepped = new Stepped(
                    new Rows(values, width, FloatType.FLOAT32),
                    first,
                    second,
                    ofRows,
                    0,
                    corrections(lent, kernel),
                    kernel);
            double seconds = Timing.tenQueued(lent.workspace().stream(), () -> {
                if (claims.there()) {
                    lent.workspace().stream().fill(claims.table(), 8L * entries, 0);
                }
                kernels.rowsInRange(keys, ITEMS, ALL, rows, claims, status);
                if (claims.there() || stepped.steps() != 0) {
                    kernels.mark(rows, ITEMS, 0, claims, stepped.steps(), status);
                }
                kernels.stepRows(stepped, update, rows, 0, ITEMS, status);
            });
            double bytes = ITEMS * ((3.0 + 2 * states) * ofRow + 8 + (stepped.steps() != 0 ? 8 : 0));
            return Measured.rate(
                    "push of 1M of 16M rows of " + width + " floats, " + rule
                            + (ascending ? ", ascending keys" : ", any keys"),
                    bytes / 1e9 / seconds,
                    floors.copy(),
                    width == 1 ? Double.NaN : ascending ? 0.85 : 0.75);
        }
    }

    /** Steps all rows by an update that is on the device, as a push does whose rows have been stepped as often. */
    Measured dense(Rule rule, int width) {
        RuleKernel kernel = kernel(rule);
        int states = kernel.state().size();
        int arrays = rule == Rule.ASSIGN ? 2 : 3 + 2 * states;
        long n = (long) ITEMS * WIDTH;
        try (Lent lent = new Lent(device)) {
            Kernels kernels = lent.workspace().kernels();
            long values = lent.filled(4 * n, 0);
            long update = lent.filled(4 * n, Float.floatToRawIntBits(0.01f));
            long first = states > 0 ? lent.filled(4 * n, 0) : 0;
            long second = states > 1 ? lent.filled(4 * n, 0) : 0;
            boolean isState = kernel.ofRows() != null && !kernel.countsSteps();
            long ofRows = isState ? lent.filled(4 * n / width, Float.floatToRawIntBits(1)) : 0;
            Corrections corrections = corrections(lent, kernel);
            Stepped stepped = new Stepped(
                    new Rows(values, width, FloatType.FLOAT32), first, second, ofRows, 3, corrections, kernel);
            double seconds =
                    Timing.tenQueued(lent.workspace().stream(), () -> kernels.stepAll(stepped, update, 0, n / width));
            return Measured.rate(
                    "dense step of 64M floats, width " + width + ", " + rule + " (" + arrays + " arrays)",
                    4.0 * n * arrays / 1e9 / seconds,
                    floors.copy(),
                    rule != Rule.ADAM ? Double.NaN : width == 1 ? 0.75 : 0.85);
        }
    }

    private static RuleKernel kernel(Rule rule) {
        float[] arguments = new float[rule.arguments()];
        Arrays.fill(arguments, 0.5f);
        return RuleKernel.of(rule.kernel(arguments), null, 1);
    }

    private static Corrections corrections(Lent lent, RuleKernel kernel) {
        Correction correction = kernel.correction();
        if (correction == null) {
            return Corrections.NONE;
        }
        double[] table = RuleKernel.corrections(correction, RuleKernel.KNOWN);
        ByteBuffer bytes =
                ByteBuffer.allocateDirect(table.length * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asDoubleBuffer().put(table);
        return new Corrections(lent.copied(bytes), RuleKernel.KNOWN);
    }
}
