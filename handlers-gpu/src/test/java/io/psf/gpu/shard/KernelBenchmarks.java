package io.psf.gpu.shard;

import io.psf.builtin.optimizer.Correction;
import io.psf.gpu.Rule;
import io.psf.gpu.driver.Device;
import io.psf.gpu.report.Measured;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Kernels that move rows and that step optimizers, by the bytes that they must move. */
final class KernelBenchmarks {
    private static final int WIDTH = 64;
    private static final long BYTES_OF_ROW = 4L * WIDTH;
    private static final int TABLE = 1 << 24;
    private static final int ITEMS = 1 << 20;

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

    private static ByteBuffer keys() {
        ByteBuffer keys = ByteBuffer.allocateDirect(ITEMS * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < ITEMS; i++) {
            keys.putLong(i * Long.BYTES, scattered(i));
        }
        return keys;
    }

    Measured gather() {
        try (Lent lent = new Lent(device)) {
            Kernels kernels = lent.workspace().kernels();
            long values = lent.filled(TABLE * BYTES_OF_ROW, 0);
            long into = lent.filled(ITEMS * BYTES_OF_ROW, 0);
            long keys = lent.copied(keys());
            long rows = lent.filled(4L * ITEMS, 0);
            long status = new Status(lent.memory()).address();
            kernels.rowsInRange(keys, ITEMS, 0, TABLE, rows, 0, status);
            double seconds = Timing.queued(
                    lent.workspace().stream(),
                    () -> kernels.gather(values, rows, ITEMS, WIDTH, into, keys, Generators.ZEROS));
            double bytes = ITEMS * (2.0 * BYTES_OF_ROW + 4);
            return Measured.rate("gather 1M of 16M rows of 64 floats", bytes / 1e9 / seconds, floors.copy(), 0.7);
        }
    }

    Measured scatterAdd() {
        try (Lent lent = new Lent(device)) {
            Kernels kernels = lent.workspace().kernels();
            long values = lent.filled(TABLE * BYTES_OF_ROW, 0);
            long update = lent.filled(ITEMS * BYTES_OF_ROW, Float.floatToRawIntBits(0.01f));
            long keys = lent.copied(keys());
            long rows = lent.filled(4L * ITEMS, 0);
            long claims = lent.filled(4L * TABLE, Integer.MAX_VALUE);
            long status = new Status(lent.memory()).address();
            kernels.rowsInRange(keys, ITEMS, 0, TABLE, rows, claims, status);
            Stepped stepped = new Stepped(values, 0, 0, 0, Corrections.NONE, WIDTH, kernel(Rule.ADD));
            double seconds = Timing.queued(
                    lent.workspace().stream(), () -> kernels.stepRows(stepped, update, rows, claims, 0, ITEMS, status));
            double bytes = ITEMS * (3.0 * BYTES_OF_ROW + 4 + 4);
            return Measured.rate(
                    "add to 1M of 16M rows of 64 floats (psf_add_rows)", bytes / 1e9 / seconds, floors.copy(), 0.7);
        }
    }

    /** Steps 1M rows of 64 floats by an update that is on the device. */
    Measured dense(Rule rule) {
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
            long ofRows = kernel.ofRows() == null ? 0 : lent.filled(4L * ITEMS, Float.floatToRawIntBits(1));
            Corrections corrections = corrections(lent, kernel);
            Stepped stepped = new Stepped(values, first, second, ofRows, corrections, WIDTH, kernel);
            double seconds = Timing.queued(lent.workspace().stream(), () -> kernels.stepAll(stepped, update, 0, n));
            return Measured.rate(
                    "dense step of 64M floats, " + rule + " (" + arrays + " arrays)",
                    4.0 * n * arrays / 1e9 / seconds,
                    floors.copy(),
                    rule == Rule.ADAM ? 0.8 : Double.NaN);
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
