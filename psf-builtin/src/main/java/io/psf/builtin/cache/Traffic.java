package io.psf.builtin.cache;

import io.psf.api.TensorInfo;

/** Counts what a cache does, for its {@link CacheCounters}. */
final class Traffic {
    private final TensorInfo table;
    private long rows;
    private long misses;
    private long stale;
    private long prefetched;
    private long evictions;
    private long pushed;
    private long sent;
    private long received;
    private long withoutCache;

    Traffic(TensorInfo table) {
        this.table = table;
    }

    /** Returns the bytes of n rows in the format in which the table's values are sent. */
    private long rowBytes(int n) {
        return table.types().wire().bytes(n, table.width());
    }

    void lookedUp(int distinct) {
        rows += distinct;
        withoutCache += (long) Long.BYTES * distinct + rowBytes(distinct);
    }

    void updated(int distinct) {
        withoutCache += (long) Long.BYTES * distinct + rowBytes(distinct);
    }

    /** Counts the rows that a look-up received, because they were missing or stale. */
    void fetched(int missing, int received) {
        misses += missing;
        stale += received - missing;
    }

    void prefetched(int received) {
        prefetched += received;
    }

    void evicted() {
        evictions++;
    }

    void pushed(int n) {
        pushed += n;
        sent += (long) (Long.BYTES + Integer.BYTES) * n + rowBytes(n);
    }

    void asked(int n) {
        sent += 2L * Long.BYTES * n + Long.BYTES;
    }

    void answered(int n) {
        received += 2L * Long.BYTES * n + rowBytes(n);
    }

    /** Counts a request and an answer of {@code pullRows}. */
    void pulled(int n) {
        sent += (long) Long.BYTES * n;
        received += rowBytes(n);
    }

    CacheCounters counters() {
        return new CacheCounters(rows, misses, stale, prefetched, evictions, pushed, sent, received, withoutCache);
    }
}
