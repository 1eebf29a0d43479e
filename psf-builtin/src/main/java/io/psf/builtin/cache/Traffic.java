package io.psf.builtin.cache;

/** Counts what a cache does, for its {@link CacheCounters}. */
final class Traffic {
    private final long rowBytes;
    private long rows;
    private long misses;
    private long stale;
    private long prefetched;
    private long evictions;
    private long pushed;
    private long sent;
    private long received;
    private long withoutCache;

    Traffic(int width) {
        this.rowBytes = (long) Float.BYTES * width;
    }

    void lookedUp(int distinct) {
        rows += distinct;
        withoutCache += distinct * (Long.BYTES + rowBytes);
    }

    void updated(int distinct) {
        withoutCache += distinct * (Long.BYTES + rowBytes);
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
        sent += n * (Long.BYTES + Integer.BYTES + rowBytes);
    }

    void asked(int n) {
        sent += 2L * Long.BYTES * n + Long.BYTES;
    }

    void answered(int n) {
        received += n * (2L * Long.BYTES + rowBytes);
    }

    /** Counts a request and an answer of {@code pullRows}. */
    void pulled(int n) {
        sent += (long) Long.BYTES * n;
        received += rowBytes * n;
    }

    CacheCounters counters() {
        return new CacheCounters(rows, misses, stale, prefetched, evictions, pushed, sent, received, withoutCache);
    }
}
