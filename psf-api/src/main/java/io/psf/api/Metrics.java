package io.psf.api;

import io.psf.api.Metric.Kind;
import io.psf.api.Metric.Sample;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Collects the numbers of a node or of several ones. Numbers of the same name and the same labels are combined as their
 * {@link Kind} says. Not thread-safe.
 */
public final class Metrics {
    /** By name. */
    private final Map<String, Collected> collected;
    /** The labels of all numbers that are added here. */
    private final Map<String, String> labels;
    /** The most numbers of one name. */
    private final int most;

    /** The numbers by their labels, and a metric without numbers. */
    private record Collected(Metric metric, Map<Map<String, String>, Double> values) {}

    /** Creates a collection without numbers. */
    public Metrics() {
        this(Integer.MAX_VALUE);
    }

    /**
     * Creates a bounded collection without numbers.
     *
     * @param most the most numbers of one name; others are left out
     */
    public Metrics(int most) {
        this(new TreeMap<>(), Map.of(), most);
    }

    private Metrics(Map<String, Collected> collected, Map<String, String> labels, int most) {
        this.collected = collected;
        this.labels = labels;
        this.most = most;
    }

    /** Returns this collection: what is added to it there has a label more. */
    public Metrics with(String label, Object value) {
        Map<String, String> more = new LinkedHashMap<>(labels);
        more.put(label, value.toString());
        return new Metrics(collected, more, most);
    }

    /** Adds a number that only rises. */
    public void counter(String name, String unit, String meaning, long value) {
        counter(name, unit, meaning, (double) value);
    }

    /** Adds a number that only rises. */
    public void counter(String name, String unit, String meaning, double value) {
        add(name, Kind.COUNTER, unit, meaning, value);
    }

    /** Adds a number that rises and falls. */
    public void gauge(String name, String unit, String meaning, long value) {
        gauge(name, unit, meaning, (double) value);
    }

    /** Adds a number that rises and falls. */
    public void gauge(String name, String unit, String meaning, double value) {
        add(name, Kind.GAUGE, unit, meaning, value);
    }

    /** Adds a number that rises and falls, unless a higher one is there. */
    public void highest(String name, String unit, String meaning, long value) {
        highest(name, unit, meaning, (double) value);
    }

    /** Adds a number that rises and falls, unless a higher one is there. */
    public void highest(String name, String unit, String meaning, double value) {
        add(name, Kind.HIGHEST, unit, meaning, value);
    }

    private void add(String name, Kind kind, String unit, String meaning, double value) {
        add(new Metric(name, kind, unit, meaning, List.of()), labels, value);
    }

    private void add(Metric metric, Map<String, String> of, double value) {
        Collected known =
                collected.computeIfAbsent(metric.name(), name -> new Collected(metric, new LinkedHashMap<>()));
        if (known.values().size() >= most && !known.values().containsKey(of)) {
            return;
        }
        known.values().merge(of, value, known.metric().kind() == Kind.HIGHEST ? Math::max : Double::sum);
    }

    /** Adds numbers that were collected elsewhere. */
    public void addAll(Collection<Metric> others) {
        for (Metric each : others) {
            for (Sample sample : each.samples()) {
                Map<String, String> all = new LinkedHashMap<>(labels);
                all.putAll(sample.labels());
                add(new Metric(each.name(), each.kind(), each.unit(), each.meaning(), List.of()), all, sample.value());
            }
        }
    }

    /** Returns the numbers, in the order of their names. */
    public List<Metric> all() {
        return collected.values().stream().map(Metrics::metric).toList();
    }

    private static Metric metric(Collected each) {
        Metric metric = each.metric();
        List<Sample> samples = each.values().entrySet().stream()
                .map(value -> new Sample(value.getKey(), value.getValue()))
                .toList();
        return new Metric(metric.name(), metric.kind(), metric.unit(), metric.meaning(), samples);
    }
}
