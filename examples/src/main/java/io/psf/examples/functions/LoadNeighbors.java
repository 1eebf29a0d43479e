package io.psf.examples.functions;

import io.psf.api.Checkpointed;
import io.psf.api.PsFunction;
import io.psf.api.RowListener;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * Adds edges of a graph whose nodes are a tensor's rows; {@link SampleNeighbor} reads them. An edge goes where its source
 * goes, so that a node may have any number of neighbours.
 */
@PsFunction("examples.load.neighbors")
public interface LoadNeighbors {
    /**
     * The edges.
     *
     * @param graph whose rows are the nodes
     * @param sources [n] int64, where each edge begins; borrowed until await returns
     * @param targets [n] int64, where it ends; borrowed until await returns
     */
    record Request(
            TensorId graph,
            @ByKey LongArray sources,
            @Along(value = "sources", width = 1) LongArray targets) {}

    record Response() {}

    default Response handle(Request slice, Shard shard) {
        int[] rows = shard.rows(slice.sources()); // first: a table that grows makes them
        Adjacency adjacency = Adjacency.of(shard);
        for (int i = 0; i < rows.length; i++) {
            adjacency.add(rows[i], slice.targets().get(i));
        }
        return new Response();
    }

    /** The neighbours of each row of a shard, beside it; saved, loaded and removed with it. */
    final class Adjacency implements Checkpointed, RowListener {
        private final Shard shard;
        private long[][] neighbors = {};
        private int[] degrees = {};

        private Adjacency(Shard shard) {
            this.shard = shard;
        }

        /** With room for the shard's rows as they are now. */
        static Adjacency of(Shard shard) {
            Adjacency adjacency = shard.attachment(Adjacency.class, () -> new Adjacency(shard));
            adjacency.growTo(shard.rows());
            return adjacency;
        }

        private void growTo(int rows) {
            int before = degrees.length;
            if (rows > before) {
                degrees = Arrays.copyOf(degrees, Math.max(rows, 2 * before));
                neighbors = Arrays.copyOf(neighbors, degrees.length);
                Arrays.fill(neighbors, before, degrees.length, new long[0]);
            }
        }

        @Override
        public void rowRemoved(long key, int row, int last) {
            growTo(last + 1);
            degrees[row] = degrees[last];
            neighbors[row] = neighbors[last];
            degrees[last] = 0;
            neighbors[last] = new long[0];
        }

        @Override
        public void rowsRemoved() {
            Arrays.fill(degrees, 0);
            Arrays.fill(neighbors, new long[0]);
        }

        private void add(int row, long neighbor) {
            if (degrees[row] == neighbors[row].length) {
                neighbors[row] = Arrays.copyOf(neighbors[row], Math.max(4, 2 * degrees[row]));
            }
            neighbors[row][degrees[row]++] = neighbor;
        }

        /** How many neighbours a row has; -1 stands for a node that has no row. */
        int degree(int row) {
            return row < 0 ? 0 : degrees[row];
        }

        /** The neighbours of a row, in the order loaded: the caller's own. */
        long[] neighbors(int row) {
            return row < 0 ? new long[0] : Arrays.copyOf(neighbors[row], degrees[row]);
        }

        @Override
        public void saveRow(long key, DataOutput out) throws IOException {
            growTo(shard.rows());
            long[] saved = neighbors(shard.row(key));
            if (saved.length > 0) {
                out.writeInt(saved.length);
            }
            for (long neighbor : saved) {
                out.writeLong(neighbor);
            }
        }

        @Override
        public void loadRow(long key, DataInput in) throws IOException {
            int row = shard.row(key);
            growTo(shard.rows());
            for (int left = in.readInt(); left > 0; left--) {
                add(row, in.readLong());
            }
        }
    }
}
