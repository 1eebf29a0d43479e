package io.psf.examples.functions;

import static io.psf.api.layout.Reduction.LAST;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import java.util.SplittableRandom;

/** Draws neighbours of nodes, without replacement, of the graph that {@link LoadNeighbors} has loaded. */
@PsFunction(value = "examples.sample.neighbor", readOnly = true)
public interface SampleNeighbor {
    /** The most neighbours that are drawn for a node, the width of a row of the answer. */
    int MOST = 10;

    /**
     * Whose neighbours.
     *
     * @param graph whose rows are the nodes
     * @param keys [n] int64, nodes; borrowed until await returns
     * @param count how many for each, at most {@link #MOST}
     * @param seed the same draw for the same seed, on any number of servers
     */
    record Request(TensorId graph, @ByKey(combine = LAST) LongArray keys, int count, long seed) {}

    /**
     * The neighbours.
     *
     * @param neighbors [n, MOST] int64; -1 from {@code count} on, or where a node has fewer
     */
    record Response(@Along(value = "keys", width = MOST) LongArray neighbors) {}

    default Response handle(Request slice, Shard shard) {
        LongArray drawn = LongArray.allocate(slice.keys().length() * MOST);
        drawn.fill(-1);
        for (int i = 0; i < slice.keys().length(); i++) {
            long key = slice.keys().get(i);
            long[] left = LoadNeighbors.Adjacency.of(shard).neighbors(shard.row(key));
            SplittableRandom random = new SplittableRandom(slice.seed() + 0x9e3779b97f4a7c15L * key);
            for (int j = 0; j < Math.min(Math.min(slice.count(), MOST), left.length); j++) {
                int at = random.nextInt(j, left.length); // Fisher and Yates: what is drawn changes places with j
                drawn.set(i * MOST + j, left[at]);
                left[at] = left[j];
            }
        }
        return new Response(drawn);
    }
}
