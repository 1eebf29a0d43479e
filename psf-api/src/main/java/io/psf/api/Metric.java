package io.psf.api;

import java.util.List;
import java.util.Map;

/**
 * Numbers of a node that mean the same, for metrics: one for each set of labels.
 *
 * @param name the name, such as {@code psf.memory.used}; the same on every node that has it
 * @param kind how the numbers change, and how those of several nodes are combined
 * @param unit the unit: {@code bytes}, {@code seconds}, or what is counted, such as {@code sessions}
 * @param meaning what is measured, as a sentence without its end
 * @param samples the numbers
 */
public record Metric(String name, Kind kind, String unit, String meaning, List<Sample> samples) {
    public Metric {
        samples = List.copyOf(samples);
    }

    /** How a number changes. */
    public enum Kind {
        /** Only rises, from the start of the node on. Numbers with the same labels are added. */
        COUNTER,
        /** Rises and falls. Numbers with the same labels are added. */
        GAUGE,
        /** Rises and falls. Of numbers with the same labels, the highest one counts. */
        HIGHEST
    }

    /**
     * One number.
     *
     * @param labels what it is of, such as {@code tensor} and {@code slice}; empty for the whole node
     */
    public record Sample(Map<String, String> labels, double value) {
        public Sample {
            labels = Map.copyOf(labels);
        }
    }

    /** Returns the sum of the numbers, or the highest one if the kind says so; 0 if there are none. */
    public double value() {
        var values = samples.stream().mapToDouble(Sample::value);
        return kind == Kind.HIGHEST ? values.max().orElse(0) : values.sum();
    }
}
