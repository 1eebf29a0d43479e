package io.psf.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.psf.api.Metric;
import io.psf.api.Metric.Kind;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Shows the numbers of a node in registries of Micrometer: each number of psf is a meter with its labels as tags.
 * Numbers that appear later, such as those of a new tensor, become meters when the others are read. The node is asked
 * once a second at most. Thread-safe.
 *
 * <pre>{@code
 * OpenMetrics metrics = new OpenMetrics();
 * server.listen(metrics.listener());
 * new PsfMetrics(metrics::metrics).bindTo(registry);
 * }</pre>
 */
public final class PsfMetrics implements MeterBinder {
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Supplier<List<Metric>> metrics;
    private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();
    /** The numbers that are meters. Guarded by this. */
    private final Set<Key> bound = new HashSet<>();
    /** The numbers as they were read last. Guarded by this. */
    private Map<Key, Double> values = Map.of();
    /** When they were read. Guarded by this. */
    private long readAt = System.nanoTime() - FRESH_NANOS;

    /** The name and the labels of a number. */
    private record Key(String name, Map<String, String> labels) {}

    /**
     * Creates a binder of a node's numbers.
     *
     * @param metrics returns them, and may wait for the node
     */
    public PsfMetrics(Supplier<List<Metric>> metrics) {
        this.metrics = metrics;
    }

    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        registries.add(registry);
        bound.clear();
        readAt = System.nanoTime() - FRESH_NANOS;
        read();
    }

    /** Returns a number; 0 if it is gone, as with a tensor that was cleared. */
    private synchronized double value(Key key) {
        read();
        return values.getOrDefault(key, 0.0);
    }

    /** Reads the numbers, unless that was just now. */
    private void read() {
        if (System.nanoTime() - readAt < FRESH_NANOS) {
            return;
        }
        Map<Key, Double> now = new HashMap<>();
        for (Metric metric : metrics.get()) {
            for (Metric.Sample sample : metric.samples()) {
                Key key = new Key(metric.name(), sample.labels());
                now.put(key, sample.value());
                if (bound.add(key)) {
                    registries.forEach(registry -> bind(metric, key, registry));
                }
            }
        }
        values = now;
        readAt = System.nanoTime();
    }

    private void bind(Metric metric, Key key, MeterRegistry registry) {
        List<Tag> tags = key.labels().entrySet().stream()
                .map(label -> Tag.of(label.getKey(), label.getValue()))
                .toList();
        if (metric.kind() == Kind.COUNTER) {
            FunctionCounter.builder(metric.name(), this, now -> now.value(key))
                    .tags(tags)
                    .baseUnit(metric.unit())
                    .description(metric.meaning())
                    .register(registry);
        } else {
            Gauge.builder(metric.name(), this, now -> now.value(key))
                    .tags(tags)
                    .baseUnit(metric.unit())
                    .description(metric.meaning())
                    .strongReference(true)
                    .register(registry);
        }
    }
}
