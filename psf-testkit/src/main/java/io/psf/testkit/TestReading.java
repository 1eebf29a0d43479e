package io.psf.testkit;

import io.psf.api.PsException;
import io.psf.api.spi.ReadOnly;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The read-only function that is handled now, if any. One for all shards of a test, whose lane runs one call at a time. */
final class TestReading {
    private @Nullable String function;

    /** Sets the function; null for one that is not read-only. */
    void begin(@Nullable String reading) {
        function = reading;
    }

    void end() {
        function = null;
    }

    @Nullable
    String function() {
        return function;
    }

    void requireMayChange(String what) {
        if (function != null) {
            throw ReadOnly.violated(function, what);
        }
    }

    void requireMayMake(TestRows rows, String slot) {
        if (!rows.hasSlot(slot)) {
            requireMayChange("slot \"" + slot + "\"");
        }
    }

    void requireMayMakeRow(long key) {
        if (function != null) {
            throw new PsException(
                    PsException.Code.OUT_OF_RANGE,
                    "key: " + key + " (expected: a key that has a row: the function is readOnly, and creates no rows;"
                            + " Shard.find tells which keys have one)");
        }
    }

    /** Returns work that changes nothing if it is put off by a read-only function, and is not run once it is dropped. */
    Runnable putOff(Runnable work, BooleanSupplier isDropped) {
        String by = function;
        return () -> {
            begin(by);
            try {
                if (!isDropped.getAsBoolean()) {
                    work.run();
                }
            } finally {
                end();
            }
        };
    }

    /** Returns a function that tells whether the values and slots of shards are the same as now, bit for bit. */
    static BooleanSupplier unchanged(List<TestRows> shards) {
        List<BooleanSupplier> each = shards.stream().map(TestRows::unchanged).toList();
        return () -> each.stream().allMatch(BooleanSupplier::getAsBoolean);
    }
}
