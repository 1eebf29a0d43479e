package io.psf.cli;

import io.psf.builtin.TensorSummary;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How the servers of a job are loaded. */
final class ServerTimes {
    private final JobSample sample;
    /** The share of the time that each server runs handlers; above 1 if several lanes do. */
    private final SortedMap<Integer, Double> busy = new TreeMap<>();

    ServerTimes(JobSample sample) {
        this.sample = sample;
        double nanos = Math.max(1, sample.time().toNanos());
        sample.loads()
                .forEach((server, functions) -> busy.put(
                        server,
                        functions.stream().mapToLong(JobSample.Load::ranNanos).sum() / nanos));
    }

    /**
     * Returns the mean times of a function's requests on the server where they take longest: a call waits for the last
     * of its slices.
     */
    JobSample.Load slowest(String function) {
        return sample.loads().values().stream()
                .flatMap(List::stream)
                .filter(each -> each.function().equals(function) && each.requests() > 0)
                .map(each -> new JobSample.Load(
                        function,
                        1,
                        each.waitedNanos() / each.requests(),
                        each.ranNanos() / each.requests(),
                        each.answeredNanos() / each.requests(),
                        0,
                        0))
                .max(Comparator.comparingLong(JobSample.Load::answeredNanos))
                .orElse(new JobSample.Load(function, 0, 0, 0, 0, 0, 0));
    }

    /** Returns the server that runs handlers for the longest time; -1 if none does. */
    int busiest() {
        return busy.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(-1);
    }

    /** Returns the share of the time that a server runs handlers; above 1 if several lanes do. */
    double busy(int server) {
        return busy.getOrDefault(server, 0.0);
    }

    /** Returns the mean of {@link #busy} of the other servers. */
    double others(int server) {
        return busy.entrySet().stream()
                .filter(each -> each.getKey() != server)
                .mapToDouble(Map.Entry::getValue)
                .average()
                .orElse(0);
    }

    /** Returns the number of servers. */
    int count() {
        return busy.size();
    }

    /** Returns the share of the time that all servers run handlers, on average. */
    double mean() {
        return busy.values().stream().mapToDouble(Double::doubleValue).average().orElse(0);
    }

    /**
     * Returns the work on checkpoints that took a server the longest time: the function, its requests, and their times;
     * null if there was none.
     */
    JobSample.@Nullable Load checkpoints() {
        return sample.loads().values().stream()
                .flatMap(List::stream)
                .filter(each -> isDisk(each.function()) && each.requests() > 0)
                .max(Comparator.comparingLong(JobSample.Load::answeredNanos))
                .orElse(null);
    }

    /** Returns the slice whose handlers run for the longest time; null if none did. */
    JobSample.@Nullable Slice busiestSlice() {
        return sample.busy().entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(null);
    }

    /** Returns the share of the time that the lane of a slice runs its handlers. */
    double busy(JobSample.Slice slice) {
        return sample.busy().getOrDefault(slice, 0.0)
                / Math.max(1e-9, sample.time().toNanos() / 1e9);
    }

    /** Returns the mean of {@link #busy(JobSample.Slice)} of the other slices of the tensor; -1 if it has no others. */
    double othersOf(JobSample.Slice slice) {
        int others = sample.tensors().stream()
                        .filter(each -> each.tensor().id().name().equals(slice.tensor()))
                        .mapToInt(TensorSummary::slices)
                        .sum()
                - 1;
        double sum = sample.busy().keySet().stream()
                .filter(each -> each.tensor().equals(slice.tensor()) && !each.equals(slice))
                .mapToDouble(this::busy)
                .sum();
        return others <= 0 ? -1 : sum / others;
    }

    /** True for a function that writes or reads checkpoints. */
    static boolean isDisk(String function) {
        return function.startsWith("psf.model.") && !function.equals("psf.model.join");
    }
}
