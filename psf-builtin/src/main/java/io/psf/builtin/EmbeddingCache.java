package io.psf.builtin;

import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.api.array.FloatTypes;
import io.psf.builtin.cache.CacheCounters;
import io.psf.builtin.cache.CacheOptions;
import io.psf.builtin.cache.CachedRows;
import io.psf.builtin.cache.RowAccess;
import io.psf.builtin.cache.UncachedRows;
import java.util.function.Supplier;

/**
 * A cache of the rows of an embedding table, on a worker. Look-ups copy rows from the cache, updates are summed in it,
 * and both exchange with the servers only what their bounds require. The protocol is HET (Miao et al., VLDB 2022), by
 * {@link io.psf.builtin.cache.SyncEmbedding} and {@link io.psf.builtin.cache.PushEmbedding}.
 *
 * <pre>{@code
 * TensorSpec table = TensorSpec.table("items", 1_000_000, 16).optimizer(Optimizers.sgd(0.05));
 * try (EmbeddingCache cache = EmbeddingCache.of(worker, table)
 *         .rows(100_000).pullBound(100).pushBound(100).open()) {
 *     for (Batch batch : batches) {
 *         cache.lookUp(batch.keys(), rows);
 *         cache.prefetch(batch.next().keys());       // received while the gradients are computed
 *         cache.update(batch.keys(), gradients(rows));
 *     }
 *     cache.save("model/epoch-3");
 * }
 * }</pre>
 *
 * <p><b>Bounds.</b> A look-up compares the versions of its rows with those at the servers, in one call, and receives
 * the rows that lack more than {@code pullBound} updates. A row lacks the updates that others have pushed since it was
 * received, and never the updates of this cache. A row whose prefetch has just been received is not compared again. An
 * update counts once its push is applied: the cache of another worker has up to {@code pushBound} updates of a row that
 * are not sent. Only updates through caches are counted, not the updates of {@link Tensors#pushRows}.
 *
 * <p><b>One's own updates.</b> A look-up shows all updates of this cache, sent or not. With {@link Optimizers#add} and
 * {@link Optimizers#sgd}, an update has the same effect on any values, so the cache adds it to its row: the optimizer
 * and the learning rate must stay as in the spec while the cache is open. With another optimizer, number format, or
 * rows that are admitted later, a look-up of a row with unsent updates pushes them and receives the row;
 * {@link Builder#showOwnUpdates showOwnUpdates(false)} shows the row without the unsent ones. Sent updates are shown in
 * any case, whatever the pull bound: the next look-up of their row receives it. The unsent updates of a row are pushed
 * as their sum, which is one step of the optimizer.
 *
 * <p><b>Failures.</b> A push runs exactly once. If it fails, it is not known which servers have applied it. The cache
 * then sends nothing more, and each later call fails with the code of the push. Load a checkpoint and open a new cache.
 * An interrupt of a thread that waits for a push is such a failure. A failed look-up without a push changes nothing and
 * can be repeated. A failed prefetch is not reported, except that the next look-up, prefetch or update fails with {@code
 * ROLLED_BACK} if the model goes back to a checkpoint.
 *
 * <p>Pushes are applied on arrival: a table whose updates are {@code SUM} or {@code MEAN} is refused, since its rounds
 * take one push of each worker, and caches push at different times. Do not remove rows whose updates are unsent: the
 * push creates them again. After {@link Tensors#load}, open a new cache; {@link ModelCheckpoints#caches} empties those
 * that are open. Not thread-safe: used by one thread. A worker may have several caches of a table; each counts as one
 * of another worker.
 */
public final class EmbeddingCache implements AutoCloseable {
    /** A pull bound with which a cached row is never compared with the server's row. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /**
     * The order in which rows are evicted. A use is a look-up; of equal rows the least recently needed one is first.
     */
    public enum Policy {
        /** The least recently needed row. */
        LRU(1),
        /** The least frequently used row. Uses are counted up to 4095. */
        LFU(4096),
        /** HET's LFU-opt: LFU, but a row with 10 uses is permanent. It is evicted if only permanent rows are left. */
        LFU_OPT(11);

        private final int levels;

        Policy(int levels) {
            this.levels = levels;
        }
    }

    private final TensorCaller worker;
    private final TensorId table;
    /** Returns the access to the rows of an empty cache. */
    private final Supplier<RowAccess> empty;

    private final CacheReport report;
    private RowAccess rows;
    private boolean closed;

    private EmbeddingCache(TensorCaller worker, TensorId table, Supplier<RowAccess> empty) {
        this.worker = worker;
        this.table = table;
        this.empty = empty;
        this.rows = empty.get();
        this.report = new CacheReport(worker, table, System::nanoTime);
    }

    /**
     * Returns a builder with the defaults: {@link Policy#LFU}, and bounds of 0.
     *
     * @param worker a worker of a cluster, or the test kit's cluster
     * @param table the table's spec; {@link Builder#open} creates the table, or finds it
     */
    public static Builder of(TensorCaller worker, TensorSpec table) {
        return new Builder(worker, table);
    }

    /** Returns the table. */
    public TensorId table() {
        return table;
    }

    /**
     * Copies rows. Blocks until the rows that are missing or stale are received.
     *
     * @param keys [n] int64, row ids in any order, duplicates allowed; may be more than the cache has rows
     * @param into [n, width] float32, filled
     */
    public void lookUp(long[] keys, float[] into) {
        requireOpen();
        rows.lookUp(keys, into);
        report.lookedUp(rows::counters);
    }

    /**
     * Adds updates to the unsent ones. Sends the updates of rows that then have more than {@code pushBound}, and of
     * evicted rows. Waits for the answer of the previous push, not for its own.
     *
     * @param keys [n] int64, row ids in any order; each position is one update
     * @param gradients [n, width] float32, for the table's optimizer; copied
     */
    public void update(long[] keys, float[] gradients) {
        requireOpen();
        rows.update(keys, gradients);
    }

    /**
     * Requests those rows that the next look-up would request. Does not wait for them: the next look-up does. Has no
     * effect on rows beyond the number of the cache's rows. The next prefetch waits for this one.
     *
     * @param keys [n] int64, row ids in any order, duplicates allowed; copied
     */
    public void prefetch(long[] keys) {
        requireOpen();
        rows.prefetch(keys);
    }

    /** Sends all unsent updates. Blocks until they are in the values. */
    public void flush() {
        requireOpen();
        rows.flush();
    }

    /** Removes all rows, and the updates that are not sent, since another state of the table was loaded. */
    void clear() {
        rows = empty.get();
    }

    /**
     * Flushes, then saves the table as {@link Tensors#save}. Other workers flush their caches before, and meet this one
     * at a barrier. {@link ModelCheckpoints#caches} saves the tables of a model, with the caches of all workers.
     */
    public void save(String checkpoint) {
        flush();
        Tensors.save(worker, table, checkpoint);
    }

    /**
     * Returns the numbers of what the cache has done. The share of hits is also sent to a server every ten seconds:
     * {@link Reports#of} has it as {@code cache hits of} the table.
     */
    public CacheCounters counters() {
        return rows.counters();
    }

    /** Flushes. The cache is closed also if the flush fails. Has no effect on a closed cache. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            rows.flush();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("cache of tensor \"" + table + "\": closed (expected: open)");
        }
    }

    /** The options of a cache. Each setter throws {@link IllegalArgumentException} if its argument is out of range. */
    public static final class Builder {
        private static final int MOST_UPDATES = 1 << 30;

        private final TensorCaller worker;
        private final TensorSpec spec;
        private int rows;
        private Policy policy = Policy.LFU;
        private long pullBound;
        private long pushBound;
        private boolean showOwnUpdates = true;
        private boolean bypass;

        private Builder(TensorCaller worker, TensorSpec spec) {
            if (spec.updates() != Updates.EACH) {
                throw new IllegalArgumentException("updates of tensor \""
                        + spec.tensor().id() + "\": " + spec.updates()
                        + " (expected: EACH; a round takes one push of each worker, and caches push at different"
                        + " times)");
            }
            this.worker = worker;
            this.spec = spec;
        }

        /**
         * Sets the number of rows that the cache holds. A row takes 8 bytes for each of its floats, and 112 to 136
         * bytes, allocated when the cache is opened.
         */
        public Builder rows(int rows) {
            int most = Math.min(
                    (1 << 29) - 1, (Integer.MAX_VALUE - 8) / spec.tensor().width());
            require("rows", rows, 1, most);
            this.rows = rows;
            return this;
        }

        /** Sets the order in which rows are evicted. */
        public Builder policy(Policy policy) {
            this.policy = policy;
            return this;
        }

        /** Sets the number of updates that a row may lack in a look-up, or {@link #UNLIMITED}. */
        public Builder pullBound(long updates) {
            require("pullBound", updates, 0, UNLIMITED);
            this.pullBound = updates;
            return this;
        }

        /** Sets the number of unsent updates that a row may have after an update. */
        public Builder pushBound(long updates) {
            require("pushBound", updates, 0, MOST_UPDATES);
            this.pushBound = updates;
            return this;
        }

        /**
         * Chooses whether a look-up shows the unsent updates of its rows; true by default. Sent updates are shown in
         * any case: the next look-up after a push of a row receives the row, whatever the pull bound.
         */
        public Builder showOwnUpdates(boolean show) {
            this.showOwnUpdates = show;
            return this;
        }

        /** Makes each call go to the servers, for comparison. Nothing is cached, and a prefetch has no effect. */
        public Builder bypass(boolean bypass) {
            this.bypass = bypass;
            return this;
        }

        /**
         * Opens the cache. Creates the table, or finds it, as {@link Tensors#init}.
         *
         * @throws IllegalArgumentException if a push of some rows changes others, as with {@link
         *     Optimizers#allRowsAdam(double)}: nothing counts their changes, so look-ups would not receive them
         * @throws io.psf.api.PsException as {@link Tensors#init}; with {@code ALREADY_EXISTS} if the table exists with
         *     another spec
         */
        public EmbeddingCache open() {
            if (!bypass) {
                rows(rows);
                requireOptimizerOfPushedRows();
            }
            TensorId table = Tensors.init(worker, spec);
            float scale = showOwnUpdates ? scale(spec) : 0;
            CacheOptions options =
                    new CacheOptions(rows, policy.levels, pullBound, pushBound, scale, showOwnUpdates && scale == 0);
            return new EmbeddingCache(
                    worker,
                    table,
                    () -> bypass
                            ? new UncachedRows(worker, spec.tensor())
                            : new CachedRows(worker, spec.tensor(), options));
        }

        private void requireOptimizerOfPushedRows() {
            if (spec.optimizer().name().equals(Optimizers.ALL_ROWS_ADAM)) {
                throw new IllegalArgumentException(
                        "optimizer of tensor \"" + spec.tensor().id() + "\": "
                                + spec.optimizer().name()
                                + " (expected: one that changes the pushed rows alone; caches count the changes by pushes)");
            }
        }

        /**
         * Returns the factor with which an update is added to the values; 0 if the servers do not add it, or not
         * exactly.
         */
        private static float scale(TensorSpec spec) {
            OptimizerSpec optimizer = spec.optimizer();
            if (!optimizer.options().isEmpty()
                    || !spec.tensor().types().equals(FloatTypes.FLOAT32)
                    || spec.policy().admission() > 1) {
                return 0;
            }
            return switch (optimizer.name()) {
                case "psf.add" -> Float.parseFloat(optimizer.arguments().getOrDefault("scale", "1"));
                case "psf.sgd" -> -Float.parseFloat(optimizer.arguments().getOrDefault("lr", "0"));
                default -> 0;
            };
        }

        private static void require(String name, long value, long least, long most) {
            if (value < least || value > most) {
                throw new IllegalArgumentException(name + ": " + value + " (expected: " + least + " to " + most + ")");
            }
        }
    }
}
