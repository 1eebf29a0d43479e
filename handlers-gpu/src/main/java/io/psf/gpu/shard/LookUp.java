package io.psf.gpu.shard;

import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.TensorInfo;
import io.psf.api.array.ArrayMemory;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;
import io.psf.builtin.initializer.Generator;
import io.psf.gpu.driver.Block;
import io.psf.runtime.spi.shard.Slice;
import java.nio.ByteBuffer;
import java.util.Objects;

/** Rows by key, and the initial values of rows, of a shard on a device. Used on the shard's lane. */
final class LookUp {
    /** The number of keys that are copied to the host together. */
    private static final int PAGE = 1 << 16;

    private final TensorInfo tensor;
    private final Node.Fill fill;
    private final DeviceRows rows;
    private final Pulls pulls;
    private final int width;

    private long[] page = {};
    private int pageBegin;
    private int pageEnd;
    /** The state of the rows' removals when the page was copied. */
    private int pageRemovals;

    private long lastKey;
    private int lastRow = -1;
    private int lastRemovals;

    LookUp(Slice slice, DeviceRows rows, Pulls pulls) {
        this.tensor = slice.tensor();
        this.fill = slice.fill();
        this.rows = rows;
        this.pulls = pulls;
        this.width = tensor.width();
    }

    /** Sets the initial values, also of rows that are created later. Returns false if there is no kernel for them. */
    boolean generate(Generator values) {
        Generators known = Generators.of(values);
        if (known == null) {
            return false;
        }
        rows.generateBy(known);
        if (!tensor.grows() && !known.isZero()) {
            long n = (long) rows.count() * width;
            rows.operation(kernels -> {
                kernels.fill(rows.values().rows(), rows.range().begin() * width, n, known);
                rows.workspace().stream().synchronize();
                return null;
            });
        }
        return true;
    }

    /**
     * Returns the row of a key if it is the row that {@link #key} has returned last, as when attachments are saved; -1
     * otherwise.
     */
    int rowOfLast(long key) {
        return lastRow >= 0 && key == lastKey && lastRemovals == rows.removals().number() ? lastRow : -1;
    }

    /** Returns the key of a row. Keys are copied to the host in pages, since they are read one after the other. */
    long key(int row) {
        Objects.checkIndex(row, rows.count());
        if (!tensor.grows()) {
            return rows.range().begin() + row;
        }
        if (row < pageBegin || row >= pageEnd || pageRemovals != rows.removals().number()) {
            pageBegin = row / PAGE * PAGE;
            pageEnd = Math.min(rows.count(), pageBegin + PAGE);
            pageRemovals = rows.removals().number();
            page = page.length == 0 ? new long[PAGE] : page;
            rows.keys(pageBegin, page, pageEnd - pageBegin);
        }
        lastKey = page[row - pageBegin];
        lastRow = row;
        lastRemovals = pageRemovals;
        return lastKey;
    }

    /** Writes the rows of keys, -1 for a key without one. Returns the number of keys that have a row. */
    int find(LongArray keys, int[] into) {
        int n = keys.length();
        if (!tensor.grows()) {
            inRange(keys, into);
            return n;
        }
        return rows.operation(kernels -> {
            long of = rows.transfers().upload(keys);
            Block items = rows.transfers().items(n);
            rows.find(kernels, of, n, items.address());
            rows.end(keys);
            rows.transfers().download(items, into, n);
            return n - rows.status().missing();
        });
    }

    /** Writes the rows of keys; a growing table creates missing rows if it may. */
    void rows(LongArray keys, int[] into, boolean mayCreate) {
        int n = keys.length();
        if (!tensor.grows()) {
            inRange(keys, into);
        } else if (!mayCreate) {
            if (find(keys, into) < n) {
                throw noRow(keys, into);
            }
        } else {
            rows.operation(kernels -> {
                long of = rows.transfers().upload(keys);
                Block items = rows.transfers().items(n);
                boolean repeats = Transfers.mayRepeat(keys);
                int before = rows.make(kernels, keys, of, items.address(), Claims.NONE, repeats);
                begin(before);
                rows.end(keys);
                rows.transfers().download(items, into, n);
                return null;
            });
        }
    }

    private static PsException noRow(LongArray keys, int[] found) {
        int missing = 0;
        while (found[missing] >= 0) {
            missing++;
        }
        return new PsException(
                PsException.Code.OUT_OF_RANGE,
                "key: " + keys.get(missing) + " (expected: a key that has a row: the function is readOnly, and creates"
                        + " no rows; Shard.find tells which keys have one)");
    }

    private void inRange(LongArray keys, int[] into) {
        long begin = rows.range().begin();
        long end = rows.range().end();
        for (int i = 0; i < keys.length(); i++) {
            long key = keys.get(i);
            if (key < begin || key >= end) {
                throw rows.notOwned(key);
            }
            into[i] = (int) (key - begin);
        }
    }

    /** Sets the values of rows that were created just now, unless the device has generated them. */
    void begin(int before) {
        if (rows.generator() == null && tensor.grows()) {
            fillOnHost(before);
        }
    }

    /** Sets the values of new rows by the fill, which runs on the host. */
    private void fillOnHost(int before) {
        rows.readCounts(); // the operation after this one needs them, too, if the fill throws
        int end = rows.count();
        long[] keys = new long[Math.min(PAGE, end - before)];
        int most = Math.max(1, Math.min(keys.length, Pieces.rowsOfPiece(width)));
        StoredOnDevice values = new StoredOnDevice(rows, rows.values());
        for (int first = before; first < end; first += most) {
            int n = Math.min(most, end - first);
            rows.keys(first, keys, n);
            FloatArray some = FloatArray.allocate(n * width);
            for (int i = 0; i < n; i++) {
                fill.fillRow(keys[i], some.slice(i * width, (i + 1) * width));
            }
            values.writeAt(first, some);
        }
    }

    /**
     * Copies the values of keys to the host. A key without a row has its row's initial values; no row is created.
     *
     * @param into [n, width] float32, off-heap, filled
     */
    void gather(LongArray keys, FloatArray into) {
        Workspace.poison(into);
        rows.operation(kernels -> {
            gather(kernels, keys, into);
            return null;
        });
    }

    private void gather(Kernels kernels, LongArray keys, FloatArray into) {
        int n = keys.length();
        boolean isTried = pulls.canPull(into) && n > 0;
        if (isTried && pulls.pull(kernels, rows, keys, into)) {
            return;
        }
        long of = rows.transfers().upload(keys);
        Block items = rows.transfers().items(tensor.grows() ? n : 0);
        boolean mayMiss = isTried && tensor.grows();
        pull(kernels, of, n, items, into, mayMiss);
        rows.end(keys);
        if (rows.status().missing() > 0 && rows.generator() == null) {
            fillMissing(keys, items, into);
        } else if (rows.status().missing() > 0 && !mayMiss && Pieces.rowsOfPiece(width) >= n) {
            pull(kernels, of, n, items, into, true);
            rows.end(keys);
        }
    }

    /**
     * Queues the copy of the rows of n keys. Initial values follow each piece if one of several, or if keys may have no
     * row.
     */
    private void pull(Kernels kernels, long of, int n, Block items, FloatArray into, boolean mayMiss) {
        rows.status().begin();
        rows.pieces().out(into, width, (piece, first, some) -> {
            Items pulled = new Items(of, n, first, some);
            rows.pull(kernels, pulled, items.address(), piece);
            if (mayMiss || tensor.grows() && some < n) { // the next piece takes the memory of this one
                pullMissing(kernels, pulled, items, piece);
            }
        });
    }

    private void pullMissing(Kernels kernels, Items pulled, Block items, long into) {
        Generators generator = rows.generator();
        if (generator != null) {
            kernels.pullMissing(
                    items.address(),
                    pulled,
                    rows.values().rowsToRead(),
                    into,
                    rows.status().address(),
                    generator);
        }
    }

    private void fillMissing(LongArray keys, Block items, FloatArray into) {
        int[] found = new int[keys.length()];
        rows.transfers().download(items, found, found.length);
        FloatType storage = tensor.types().storage();
        FloatArray stored = storage.isHalf() ? ArrayMemory.view(ByteBuffer.allocate(2 * width), storage) : null;
        for (int i = 0; i < found.length; i++) {
            if (found[i] < 0) {
                FloatArray row = into.slice(i * width, (i + 1) * width);
                fill.fillRow(keys.get(i), stored == null ? row : stored);
                if (stored != null) { // the row would begin with these values
                    row.copyFrom(stored);
                }
            }
        }
    }
}
