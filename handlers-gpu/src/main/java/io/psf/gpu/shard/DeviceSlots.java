package io.psf.gpu.shard;

import io.psf.api.array.FloatType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The columns of a shard's slots. */
final class DeviceSlots {
    private final ShardMemory memory;
    /** The rows that have the slots, for messages. */
    private final String of;

    private final int most;
    private final Map<String, DeviceColumn> used = new LinkedHashMap<>();
    /** The columns of slots that nothing has asked for yet: their memory is taken when the optimizer is made. */
    private final Map<String, DeviceColumn> reserved = new LinkedHashMap<>();

    DeviceSlots(ShardMemory memory, String of, int most) {
        this.memory = memory;
        this.of = of;
        this.most = most;
    }

    /** Returns the columns of slots that were asked for, by slot. */
    Map<String, DeviceColumn> used() {
        return used;
    }

    /** Returns the columns of all slots, those included that nothing has asked for yet. */
    List<DeviceColumn> withReserved() {
        List<DeviceColumn> all = new ArrayList<>(used.values());
        all.addAll(reserved.values());
        return all;
    }

    /** Returns the bytes of all slots, those included that nothing has asked for yet. */
    long bytes() {
        return withReserved().stream().mapToLong(DeviceColumn::bytes).sum();
    }

    void reserve(String slot, int width, int capacity) {
        if (!used.containsKey(slot)) {
            reserved.computeIfAbsent(slot, unused -> column(slot, width, capacity));
        }
    }

    private DeviceColumn column(String slot, int width, int capacity) {
        return new DeviceColumn(memory, "slot \"" + slot + "\" of " + of, width, FloatType.FLOAT32, capacity, most);
    }

    DeviceColumn slot(String slot, int width, int capacity) {
        DeviceColumn there = used.get(slot);
        if (there == null) {
            DeviceColumn ready = reserved.remove(slot);
            there = ready != null ? ready : column(slot, width, capacity);
            used.put(slot, there);
        }
        if (there.width() != width) {
            throw new IllegalArgumentException("width of slot \"" + slot + "\": " + width + " (expected: "
                    + there.width() + ", as it was created)");
        }
        return there;
    }
}
