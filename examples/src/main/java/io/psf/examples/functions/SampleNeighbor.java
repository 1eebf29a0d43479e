package io.psf.examples.functions;

import static io.psf.api.PsException.Code.BAD_REQUEST;
import static io.psf.api.layout.Reduction.LAST;

import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Ragged;
import java.util.SplittableRandom;

/** Samples neighbours of nodes, without replacement, in the graph that {@link LoadNeighbors} has loaded. */
@PsFunction(value = "examples.sample.neighbor", readOnly = true)
public interface SampleNeighbor {
    /**
     * The nodes.
     *
     * @param graph the tensor whose rows are the nodes
     * @param keys [n] int64, nodes; borrowed until await returns
     * @param count the number of neighbours to sample for each node, at least 0
     * @param seed the random seed; the same seed gives the same sample on any number of servers
     */
    record Request(TensorId graph, @ByKey(combine = LAST) LongArray keys, int count, long seed) {}

    /**
     * The neighbours, node by node.
     *
     * @param counts [n] int32, the number of sampled neighbours of each node: the count, or all if it has fewer
     * @param neighbors [sum of counts] int64
     */
    record Response(
            @Along("keys") IntArray counts,
            @Ragged("counts") LongArray neighbors) {}

    default Response handle(Request slice, Shard shard) {
        if (slice.count() < 0) {
            throw new PsException(BAD_REQUEST, "count: " + slice.count() + " (expected: >= 0)");
        }
        int[] rows = new int[slice.keys().length()];
        var unused = shard.find(slice.keys(), rows); // creates none
        LoadNeighbors.Adjacency graph = LoadNeighbors.Adjacency.find(shard);
        IntArray counts = IntArray.allocate(rows.length);
        int all = 0;
        for (int i = 0; i < rows.length; i++) {
            counts.set(i, Math.min(slice.count(), graph.degree(rows[i])));
            all = Math.addExact(all, counts.get(i));
        }
        LongArray drawn = LongArray.allocate(all);
        for (int i = rows.length - 1; i >= 0; i--) {
            long[] left = graph.neighbors(rows[i]);
            SplittableRandom random = new SplittableRandom(
                    slice.seed() + 0x9e3779b97f4a7c15L * slice.keys().get(i));
            all -= counts.get(i);
            for (int j = 0; j < counts.get(i); j++) {
                int at = random.nextInt(j, left.length); // Fisher and Yates: the drawn element is swapped with j
                drawn.set(all + j, left[at]);
                left[at] = left[j];
            }
        }
        return new Response(counts, drawn);
    }
}
