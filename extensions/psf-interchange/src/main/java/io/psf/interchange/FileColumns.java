package io.psf.interchange;

import io.psf.api.PsException;
import io.psf.api.TensorInfo;
import io.psf.builtin.image.RowConsumer;
import io.psf.builtin.image.TensorColumns;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Vectors in files as a tensor of a checkpoint, read some rows at a time. */
final class FileColumns implements TensorColumns {
    private static final int FLOATS = 1 << 16;

    private final String place;
    private final TensorInfo tensor;
    private final String optimizer;
    private final long rows;
    private final @Nullable FileColumn keys;
    private final FileColumn values;
    private final Map<String, VectorFile.Slot> slots;
    private long notFinite;

    FileColumns(
            String place,
            TensorInfo tensor,
            String optimizer,
            long rows,
            @Nullable FileColumn keys,
            FileColumn values,
            Map<String, VectorFile.Slot> slots) {
        this.place = place;
        this.tensor = tensor;
        this.optimizer = optimizer;
        this.rows = rows;
        this.keys = keys;
        this.values = values;
        this.slots = slots;
    }

    @Override
    public TensorInfo info() {
        return tensor;
    }

    @Override
    public String optimizer() {
        return optimizer;
    }

    @Override
    public String declaration() {
        return tensor.shape() + " imported from " + place;
    }

    @Override
    public Map<String, Integer> slots() {
        Map<String, Integer> widths = new LinkedHashMap<>();
        slots.forEach((name, slot) -> widths.put(name, slot.width()));
        return widths;
    }

    @Override
    public long rows() {
        return rows;
    }

    /** Returns the number of rows with a value that is NaN or infinite, after the values have been read. */
    long notFinite() {
        return notFinite;
    }

    @Override
    public void keys(LongConsumer consumer) {
        each(null, 1, (key, none) -> consumer.accept(key));
    }

    @Override
    public void each(@Nullable String slot, RowConsumer consumer) {
        if (slot == null) {
            notFinite = 0;
            each(values, tensor.width(), (key, row) -> {
                notFinite += isFinite(row) ? 0 : 1;
                consumer.row(key, row);
            });
            return;
        }
        VectorFile.Slot one = slots.get(slot);
        if (one == null) {
            throw new IllegalArgumentException("slot: " + slot + " (expected: one of " + slots.keySet() + ")");
        }
        each(one.values(), one.width(), consumer);
    }

    private static boolean isFinite(float[] row) {
        for (float each : row) {
            if (!Float.isFinite(each)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Reads all rows.
     *
     * @param column the values; null for the keys alone
     */
    private void each(@Nullable FileColumn column, int width, RowConsumer consumer) {
        float[] row = new float[width];
        int most = Math.max(1, FLOATS / width);
        try (NumberReader inKeys = keys == null ? null : keys.open();
                NumberReader in = column == null ? null : column.open()) {
            for (long at = 0; at < rows; ) {
                int n = (int) Math.min(most, rows - at);
                long[] some = inKeys == null ? null : inKeys.longs(n);
                float[] all = in == null ? null : in.floats(Math.multiplyExact(n, width));
                for (int i = 0; i < n; i++, at++) {
                    long key = some == null ? at : some[i];
                    if (!tensor.grows() && key != at) {
                        throw new PsException(
                                PsException.Code.BAD_REQUEST,
                                place + ", key of row " + at + ": " + key + " (expected: " + at
                                        + ", since the table does not grow)");
                    }
                    if (all != null) {
                        System.arraycopy(all, i * width, row, 0, width);
                    }
                    consumer.row(key, row);
                }
            }
        } catch (IOException e) {
            throw new PsException(PsException.Code.STORAGE, "reading " + place + ": " + e, e);
        }
    }
}
