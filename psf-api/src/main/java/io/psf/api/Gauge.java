package io.psf.api;

import java.util.function.LongSupplier;

/**
 * A number of a node that rises and falls, for metrics. Reading it takes no lock that a call waits for, so it may be
 * read by any thread at any time; the value may be stale.
 *
 * @param name its name, such as {@code psf.memory.used}; the same on every node that has it
 * @param unit its unit: {@code bytes}, or what is counted, such as {@code sessions}
 * @param value returns the current value
 */
public record Gauge(String name, String unit, LongSupplier value) {
    /** Returns the current value. */
    public long read() {
        return value.getAsLong();
    }
}
