package io.psf.dashboard;

import io.psf.api.Metric;
import io.psf.builtin.Statistics;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** The slices of the tensors and their load, as JSON, from the numbers that the servers have with their labels. */
final class Slices {
    /** The fields of a slice, and the numbers that they are. */
    private static final Map<String, String> FIELDS = new TreeMap<>(Map.of(
            "bytes", "psf.slice.bytes",
            "rows", "psf.slice.rows",
            "requests", "psf.slice.requests",
            "busySeconds", "psf.slice.busy",
            "traffic", "psf.slice.traffic"));

    private Slices() {}

    /** Returns an array of all slices. A server with very many slices has none here. */
    static String json(Statistics statistics) {
        Map<Map<String, String>, Map<String, String>> slices = new LinkedHashMap<>();
        statistics.metrics().forEach((server, metrics) -> add(server, metrics, slices));
        return ClusterStatus.array(slices.values(), ClusterStatus::object);
    }

    private static void add(
            int server, Collection<Metric> metrics, Map<Map<String, String>, Map<String, String>> slices) {
        FIELDS.forEach((field, name) -> metrics.stream()
                .filter(metric -> metric.name().equals(name))
                .flatMap(metric -> metric.samples().stream())
                .forEach(sample -> slices.computeIfAbsent(place(server, sample), Slices::fields)
                        .put(field, String.valueOf(sample.value()))));
    }

    private static Map<String, String> place(int server, Metric.Sample sample) {
        Map<String, String> place = new TreeMap<>(sample.labels());
        place.put("server", String.valueOf(server));
        return place;
    }

    private static Map<String, String> fields(Map<String, String> place) {
        Map<String, String> fields = new TreeMap<>();
        fields.put("server", place.get("server"));
        fields.put("slice", place.getOrDefault("slice", "-1"));
        fields.put("tensor", ClusterStatus.text(place.getOrDefault("tensor", "")));
        return fields;
    }
}
