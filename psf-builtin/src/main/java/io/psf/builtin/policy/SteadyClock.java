package io.psf.builtin.policy;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Returns the seconds since 1970. Reads the wall clock once, when it is made: a wall clock that is set later makes no
 * row older or younger.
 */
final class SteadyClock implements LongSupplier {
    private final long startMillis = System.currentTimeMillis();
    private final long startNanos = System.nanoTime();

    @Override
    public long getAsLong() {
        return (startMillis + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos)) / 1000;
    }
}
