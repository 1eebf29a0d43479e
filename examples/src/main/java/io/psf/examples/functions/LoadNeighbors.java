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
 * Adds edges to a graph whose nodes are a tensor's rows; {@link SampleNeighbor} reads them. An edge is stored with its
 * source, so that a node may have any number of neighbours.
 */
@PsFunction("examples.load.neighbors")
public interface LoadNeighbors {
    /**
     * The edges.
     *
     * @param graph the tensor whose rows are the nodes
     * @param sources [n] int64, the source of each edge; borrowed until await returns
     * @param targets [n] int64, the target of each edge; borrowed until await returns
     */
    record Request(
            TensorId graph,
            @ByKey LongArray sources,
            @Along(value = "sources", width = 1) LongArray targets) {}

    record Response() {}

    default Response handle(Request slice, Shard shard) {
        int[] rows = shard.rows(slice.sources()); // first: a growing table creates them
        Adjacency adjacency = Adjacency.of(shard);
        for (int i = 0; i < rows.length; i++) {
            adjacency.add(rows[i], slice.targets().get(i));
            shard.changed(rows[i]);
        }
        return new Response();
    }

    /** The neighbours of each row of a shard, attached to it; saved, loaded and removed with its rows. */
    final class Adjacency implements Checkpointed, RowListener {
        private final Shard shard;
        private long[][] neighbors = {};
        private int[] degrees = {};

        private Adjacency(Shard shard) {
            this.shard = shard;
        }

        /** Returns the neighbours, with capacity for the shard's current rows. */
        static Adjacency of(Shard shard) {
            Adjacency adjacency = shard.attachment(Adjacency.class, () -> new Adjacency(shard));
            adjacency.growTo(shard.rows());
            return adjacency;
        }

        /**
         * Returns the neighbours as they are; empty without any. Creates no attachment, for functions that are
         * readOnly.
         */
        static Adjacency find(Shard shard) {
            return shard.findAttachment(Adjacency.class, () -> new Adjacency(shard))
                    .orElseGet(() -> new Adjacency(shard));
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

        /** Returns the number of neighbours of a row; {@code row} is -1 for a node without a row. */
        int degree(int row) {
            return row < 0 || row >= degrees.length ? 0 : degrees[row];
        }

        /** Returns a copy of the neighbours of a row, in the order of loading. */
        long[] neighbors(int row) {
            return degree(row) == 0 ? new long[0] : Arrays.copyOf(neighbors[row], degrees[row]);
        }

        /** The handler tells the shard. */
        @Override
        public boolean tellsChanges() {
            return true;
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
