package io.psf.testkit;

import io.psf.api.array.FloatArray;
import io.psf.api.spi.StoredColumn;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The rows of a shard: its values and its slots. */
final class TestRows {
    private final int width;
    private final Map<String, Slot> slots = new HashMap<>();
    private int rows;
    private FloatArray values;

    private record Slot(int width, FloatArray data) {}

    TestRows(int rows, int width) {
        this.width = width;
        this.rows = rows;
        this.values = FloatArray.allocate(Math.multiplyExact(rows, width));
    }

    FloatArray values() {
        return values;
    }

    FloatArray values(int row) {
        return values.slice(row * width, (row + 1) * width);
    }

    /** True if a slot has been created. */
    boolean hasSlot(String name) {
        return slots.containsKey(name);
    }

    /** Returns a function that tells whether the values and the slots are the same as now, bit for bit. */
    BooleanSupplier unchanged() {
        List<float[]> before = copies();
        return () -> {
            List<float[]> now = copies();
            return IntStream.range(0, before.size()).allMatch(i -> Arrays.equals(before.get(i), now.get(i)));
        };
    }

    private List<float[]> copies() {
        return Stream.concat(Stream.of(values), slots.values().stream().map(Slot::data))
                .map(FloatArray::toArray)
                .toList();
    }

    /** Returns a slot, which is created on the first request. */
    FloatArray slot(String name, int width) {
        Slot slot =
                slots.computeIfAbsent(name, n -> new Slot(width, FloatArray.allocate(Math.multiplyExact(rows, width))));
        if (slot.width() != width) {
            throw new IllegalArgumentException(
                    "width of slot \"" + name + "\": " + width + " (expected: " + slot.width() + ", as it was made)");
        }
        return slot.data();
    }

    /** Returns the values, for saving and loading. */
    StoredColumn storedValues() {
        return new TestColumn(width, this::values);
    }

    /** Returns a slot, which is created on the first request, for saving and loading. */
    StoredColumn storedSlot(String name, int width) {
        var unused = slot(name, width);
        return new TestColumn(width, () -> slot(name, width));
    }

    /** Returns the slots that have been created, by name, for saving and loading. */
    Map<String, StoredColumn> storedSlots() {
        Map<String, StoredColumn> columns = new HashMap<>();
        slots.forEach((name, slot) -> columns.put(name, storedSlot(name, slot.width())));
        return Collections.unmodifiableMap(columns);
    }

    /** Removes a row. The last row takes its number. */
    void remove(int row) {
        int last = rows - 1;
        if (row != last) {
            values.copyRows(row, values, last, 1, width);
            slots.values().forEach(slot -> slot.data().copyRows(row, slot.data(), last, 1, slot.width()));
        }
        setRows(last);
    }

    /** Changes the number of rows. Existing rows keep their content; new rows are zero. */
    void setRows(int rows) {
        this.rows = rows;
        values = resized(values, rows * width);
        slots.replaceAll((name, slot) -> new Slot(slot.width(), resized(slot.data(), rows * slot.width())));
    }

    private static FloatArray resized(FloatArray array, int length) {
        return FloatArray.wrap(Arrays.copyOf(array.toArray(), length));
    }
}
