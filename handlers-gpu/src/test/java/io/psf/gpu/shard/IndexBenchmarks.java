package io.psf.gpu.shard;

import io.psf.api.Range;
import io.psf.api.array.FloatType;
import io.psf.builtin.initializer.Generator;
import io.psf.gpu.driver.Device;
import io.psf.gpu.report.Measured;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The index of a growing table of 32M rows: look-ups of 16M keys. */
final class IndexBenchmarks {
    private static final int PRESENT = Size.of(1 << 25);
    private static final int ASKED = Size.of(1 << 24);
    private static final int ENTRIES = Size.of(1 << 26);
    /** One more than the greatest position. */
    private static final long POSITIONS = 1L << 62;

    private static final Range ALL = new Range(0, POSITIONS);

    private static final int WIDTH = 64;

    private static final String REMARK =
            "of 2^26 entries; floor: a quoted figure, HierarchicalKV's %s for dimension 64 on an H100, another card";

    private final Device device;

    IndexBenchmarks(Device device) {
        this.device = device;
    }

    private static long key(int i) {
        return i * 0x9E3779B97F4A7C15L + 12345; // odd factor: each key once
    }

    private static ByteBuffer keys(int first, int n, boolean scattered) {
        ByteBuffer keys = ByteBuffer.allocateDirect(n * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < n; i++) {
            keys.putLong(i * Long.BYTES, key(first + (scattered ? KernelBenchmarks.scattered(i) : i)));
        }
        return keys;
    }

    /** Copies the keys of the rows to memory that has entries for those of the new keys, too. */
    private static long keysOfRows(Lent lent) {
        long address = lent.filled(8L * (PRESENT + ASKED), 0);
        lent.workspace().stream().copyIn(keys(0, PRESENT, false), address);
        lent.workspace().stream().synchronize();
        return address;
    }

    private static Index index(Lent lent) {
        return new Index(lent.filled(KeyIndex.bytes(ENTRIES), 0), ENTRIES - 1L);
    }

    Measured find() {
        try (Lent lent = new Lent(device)) {
            Kernels kernels = lent.workspace().kernels();
            Index index = index(lent);
            long keysOfRows = keysOfRows(lent);
            kernels.index(keysOfRows, PRESENT, index);
            long asked = lent.copied(keys(PRESENT / 4, ASKED, true));
            long rows = lent.filled(4L * ASKED, 0);
            Status status = new Status(lent.memory());
            double seconds = Timing.tenQueued(
                    lent.workspace().stream(), () -> kernels.find(asked, ASKED, ALL, index, rows, status.address()));
            status.read();
            require(status.invalid() == 0 && status.missing() == 0, "keys that were not found: " + status.missing());
            return keysASecond("find 16M keys among 32M", seconds, 3.95, 4, "find*");
        }
    }

    Measured pull() {
        try (Lent lent = new Lent(device)) {
            Kernels kernels = lent.workspace().kernels();
            Index index = index(lent);
            long keysOfRows = keysOfRows(lent);
            kernels.index(keysOfRows, PRESENT, index);
            long values = lent.filled(4L * WIDTH * PRESENT, 0);
            int asked = ASKED / 4;
            Items items = new Items(lent.copied(keys(PRESENT / 4, asked, true)), asked, 0, asked);
            long rows = lent.filled(4L * asked, 0);
            long into = lent.filled(4L * WIDTH * asked, 0);
            Status status = new Status(lent.memory());
            double seconds = Timing.tenQueued(
                    lent.workspace().stream(),
                    () -> kernels.pullIndex(
                            items,
                            ALL,
                            index,
                            new Rows(values, WIDTH, FloatType.FLOAT32),
                            into,
                            rows,
                            status.address()));
            status.read();
            require(status.invalid() == 0 && status.missing() == 0, "keys that were not found: " + status.missing());
            return keysASecond(
                    "find and gather 4M rows of 64 floats among 32M", seconds / asked * ASKED, 2.0, 3, "find");
        }
    }

    /**
     * Inserts keys with the initial values of their rows.
     *
     * @param values the initial values; null for zeros, which memory has
     */
    Measured insert(@Nullable Generator values) {
        try (Lent lent = new Lent(device)) {
            Kernels kernels = lent.workspace().kernels();
            Index index = index(lent);
            long keysOfRows = keysOfRows(lent);
            long fresh = lent.copied(keys(PRESENT, ASKED, true));
            long rows = lent.filled(4L * ASKED, 0);
            long memory = values == null ? 0 : lent.filled(4L * WIDTH * (PRESENT + ASKED), 0);
            NewRows created = new NewRows(
                    keysOfRows,
                    new Rows(memory, WIDTH, FloatType.FLOAT32),
                    NewRows.ANY,
                    values == null ? null : Generators.of(values));
            Status status = new Status(lent.memory());
            Runnable without = () -> {
                lent.workspace().stream().fill(index.entries(), KeyIndex.bytes(ENTRIES), 0);
                kernels.index(keysOfRows, PRESENT, index);
                status.begin();
                status.write(PRESENT, PRESENT);
            };
            double seconds = Timing.queued(
                    lent.workspace().stream(),
                    without,
                    () -> kernels.findOrInsert(fresh, ASKED, index, created, rows, Claims.NONE, status.address()));
            status.read();
            require(!status.isFull() && status.rows() == PRESENT + ASKED, "rows: " + status.rows());
            return keysASecond(
                    "insert 16M keys into 32M" + (values == null ? "" : ", 64 floats of " + name(values)),
                    seconds,
                    1.5,
                    1.5,
                    "find_or_insert*");
        }
    }

    private static String name(Generator values) {
        return values.getClass().getSimpleName().toLowerCase(Locale.ROOT) + " values";
    }

    private static void require(boolean isRight, String what) {
        if (!isRight) {
            throw new IllegalStateException("wrong result, " + what);
        }
    }

    private static Measured keysASecond(String name, double seconds, double published, double wanted, String what) {
        return new Measured(
                name, ASKED / 1e9 / seconds, "billion keys/s", published, wanted / published, REMARK.formatted(what));
    }
}
