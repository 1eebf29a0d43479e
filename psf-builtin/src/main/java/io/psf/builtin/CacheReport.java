package io.psf.builtin;

import io.psf.api.Caller;
import io.psf.api.TensorId;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.FunctionCaller;
import io.psf.builtin.cache.CacheCounters;
import io.psf.builtin.internal.reports.ReportScalar;
import io.psf.builtin.internal.reports.ReportScalarPsf;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Tells a server every ten seconds which share of the rows a cache had. Used by the cache's thread. */
final class CacheReport {
    static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Caller worker;
    private final String tag;
    private final LongSupplier clock;
    private long lookUps;
    private long last;

    /**
     * Creates the report of a cache.
     *
     * @param clock returns nanoseconds
     */
    CacheReport(Caller worker, TensorId table, LongSupplier clock) {
        this.worker = worker;
        this.tag = "cache hits of " + table;
        this.clock = clock;
        this.last = clock.getAsLong();
    }

    /** Tells of the look-ups until now, if it is time. A report that fails is lost. */
    void lookedUp(Supplier<CacheCounters> counters) {
        lookUps++;
        long now = clock.getAsLong();
        if (now - last < INTERVAL_NANOS) {
            return;
        }
        last = now;
        CacheCounters counted = counters.get();
        double share = counted.rows() == 0 ? 0 : counted.hits() / (double) counted.rows();
        var unused = FunctionCaller.of(worker)
                .call(
                        ReportScalarPsf.FUNCTION,
                        new ReportScalar.Request(Reports.owner(worker), tag, lookUps, share),
                        null,
                        CallOptions.DEFAULT.inBackground());
    }
}
