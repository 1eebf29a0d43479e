package io.psf.builtin;

import io.psf.api.ShardBytes;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.builtin.tensor.ListTensors;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * A tensor that the servers hold, as {@link Tensors#list} returns it.
 *
 * @param tensor name, rows, width and number formats
 * @param optimizer the optimizer with its arguments, as text
 * @param declaration the declaration that the shards were created with, on one line
 * @param parts the parts that the servers hold, in the order of the servers' ranks, at least one
 */
public record TensorSummary(TensorInfo tensor, String optimizer, String declaration, List<Part> parts) {
    public TensorSummary {
        parts = List.copyOf(parts);
    }

    /**
     * The slices of a tensor that one server holds at one placement.
     *
     * @param server the rank of the server
     * @param placement the memory of the shards, such as {@code host}
     * @param slices the number of slices
     * @param rows the number of rows; of a growing table the rows that exist
     * @param bytes the memory that the rows occupy
     */
    public record Part(int server, String placement, int slices, long rows, ShardBytes bytes) {}

    /** Returns the summaries of what servers hold, in the order of the tensors' names. */
    static List<TensorSummary> of(List<ListTensors.Held> held) {
        TreeMap<String, List<ListTensors.Held>> byName = new TreeMap<>();
        held.forEach(each ->
                byName.computeIfAbsent(each.tensor(), name -> new ArrayList<>()).add(each));
        return byName.values().stream().map(TensorSummary::ofOne).toList();
    }

    private static TensorSummary ofOne(List<ListTensors.Held> held) {
        ListTensors.Held first = held.get(0);
        List<Part> parts = held.stream()
                .map(each -> new Part(each.server(), each.placement(), each.slices(), each.present(), each.bytes()))
                .sorted(Comparator.comparingInt(Part::server).thenComparing(Part::placement))
                .toList();
        TensorInfo tensor = new TensorInfo(TensorId.of(first.tensor()), first.rows(), first.width(), first.types());
        return new TensorSummary(tensor, first.optimizer(), first.declaration(), parts);
    }

    /** Returns the number of slices. */
    public int slices() {
        return parts.stream().mapToInt(Part::slices).sum();
    }

    /** Returns the number of rows; of a growing table the rows that exist. */
    public long rows() {
        return parts.stream().mapToLong(Part::rows).sum();
    }

    /** Returns the memory that the rows occupy on all servers. */
    public ShardBytes bytes() {
        return parts.stream().map(Part::bytes).reduce(new ShardBytes(0, 0, 0, 0), ShardBytes::plus);
    }

    /** Returns the placements of the slices, sorted. */
    public List<String> placements() {
        return parts.stream().map(Part::placement).distinct().sorted().toList();
    }
}
