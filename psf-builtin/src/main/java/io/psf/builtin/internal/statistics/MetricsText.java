package io.psf.builtin.internal.statistics;

import io.psf.api.Metric;
import io.psf.api.Metric.Kind;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Writes numbers in the text format of OpenMetrics 1.0. */
final class MetricsText {
    /** The upper bounds of the buckets are a microsecond and fourfold each, as many as this, and one without a bound. */
    private static final int BOUNDS = 15;

    /** About a microsecond, and a bound of {@link Times}. */
    private static final long FIRST_BOUND_NANOS = 1024;

    private final StringBuilder text = new StringBuilder();
    private final Set<String> families = new HashSet<>();

    /** Adds all numbers of a metric, unless one of that name is there. */
    void add(Metric metric) {
        boolean counts = metric.kind() == Kind.COUNTER;
        String family = name(metric.name(), metric.unit());
        if (begin(family, counts ? "counter" : "gauge", metric.unit(), metric.meaning())) {
            metric.samples()
                    .forEach(each -> line(counts ? family + "_total" : family, each.labels(), number(each.value())));
        }
    }

    /** Adds distributions of times by function. */
    void add(String metric, String meaning, SortedMap<String, Times> times) {
        String family = name(metric, "seconds");
        if (begin(family, "histogram", "seconds", meaning)) {
            times.forEach((function, each) -> histogram(family, function, each));
        }
    }

    private void histogram(String family, String function, Times times) {
        long bound = FIRST_BOUND_NANOS;
        for (int i = 0; i < BOUNDS; i++) {
            Map<String, String> labels = Map.of("function", function, "le", number(bound / 1e9));
            line(family + "_bucket", labels, Long.toString(times.below(bound)));
            bound *= 4;
        }
        String all = Long.toString(times.count());
        line(family + "_bucket", Map.of("function", function, "le", "+Inf"), all);
        line(family + "_count", Map.of("function", function), all);
        line(family + "_sum", Map.of("function", function), number(times.nanos() / 1e9));
    }

    /** Adds facts about the node, as labels. */
    void info(String name, String meaning, Map<String, String> facts) {
        if (begin(name, "info", "", meaning)) {
            line(name + "_info", facts, "1");
        }
    }

    private boolean begin(String family, String type, String unit, String meaning) {
        if (!families.add(family)) {
            return false;
        }
        text.append("# TYPE ").append(family).append(' ').append(type).append('\n');
        if (family.endsWith("_" + unit) && isOfPrometheus(unit)) {
            text.append("# UNIT ").append(family).append(' ').append(unit).append('\n');
        }
        text.append("# HELP ").append(family).append(' ');
        text.append(escaped(meaning)).append('\n');
        return true;
    }

    private void line(String name, Map<String, String> labels, String value) {
        text.append(name);
        if (!labels.isEmpty()) {
            text.append(new TreeMap<>(labels)
                    .entrySet().stream()
                            .map(each -> plain(each.getKey()) + "=\"" + escaped(each.getValue()) + '"')
                            .collect(Collectors.joining(",", "{", "}")));
        }
        text.append(' ').append(value).append('\n');
    }

    /** Returns the name of a family: it ends with its unit, if that is one of Prometheus's. */
    private static String name(String metric, String unit) {
        String name = plain(metric);
        return !isOfPrometheus(unit) || name.endsWith("_" + unit) ? name : name + "_" + unit;
    }

    private static boolean isOfPrometheus(String unit) {
        return unit.equals("bytes") || unit.equals("seconds");
    }

    private static String plain(String name) {
        return name.replaceAll("[^a-zA-Z0-9_]", "_");
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }

    /** Returns the whole text. */
    String end() {
        return text.append("# EOF\n").toString();
    }
}
