package io.psf.builtin.internal.statistics;

import io.psf.api.PsException.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** The counters of one function on a server. Thread-safe. */
final class FunctionCounters {
    private static final Code[] CODES = Code.values();

    private final AtomicLongArray outcomes = new AtomicLongArray(CODES.length);
    private final LongAdder bytesIn = new LongAdder();
    private final LongAdder bytesOut = new LongAdder();
    private final Histogram waiting = new Histogram();
    private final Histogram running = new Histogram();
    private final Histogram answered = new Histogram();

    void queued(long bytes) {
        bytesIn.add(bytes);
    }

    void handled(long waitedNanos, long ranNanos) {
        waiting.add(waitedNanos);
        running.add(ranNanos);
    }

    void answered(Code outcome, long bytes, long nanos) {
        outcomes.getAndIncrement(outcome.ordinal());
        bytesOut.add(bytes);
        answered.add(nanos);
    }

    CollectStatistics.OfFunction statistics(int server, String function) {
        List<CollectStatistics.Outcome> counts = new ArrayList<>();
        for (Code code : CODES) {
            long count = outcomes.get(code.ordinal());
            if (count > 0) {
                counts.add(new CollectStatistics.Outcome(code.name(), count));
            }
        }
        return new CollectStatistics.OfFunction(
                server,
                function,
                counts,
                bytesIn.sum(),
                bytesOut.sum(),
                waiting.times(),
                running.times(),
                answered.times());
    }
}
