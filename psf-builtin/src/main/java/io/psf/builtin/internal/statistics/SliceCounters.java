package io.psf.builtin.internal.statistics;

import io.psf.api.Metrics;
import java.util.concurrent.atomic.LongAdder;

/** The counters of one slice on a server. Thread-safe. */
final class SliceCounters {
    private final LongAdder requests = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final LongAdder bytes = new LongAdder();

    void moved(long more) {
        bytes.add(more);
    }

    void ran(long time) {
        requests.increment();
        nanos.add(time);
    }

    void measure(Metrics to) {
        to.counter("psf.slice.requests", "requests", "requests that ran on a slice", requests.sum());
        to.counter("psf.slice.busy", "seconds", "time that the handlers of a slice took", nanos.sum() / 1e9);
        to.counter("psf.slice.traffic", "bytes", "bytes of requests and answers of a slice", bytes.sum());
    }
}
