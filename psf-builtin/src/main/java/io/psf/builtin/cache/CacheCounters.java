package io.psf.builtin.cache;

/**
 * The numbers of what a cache has done. A key that occurs several times in one call counts once. The bytes count keys,
 * versions, counts and values in requests and answers, the values in the table's format on the wire; headers are not
 * counted.
 *
 * @param rows the rows that were looked up
 * @param misses the rows whose key had no row in the cache; includes, with an optimizer that is not linear, the rows
 *     that were requested to show the caller's own updates
 * @param stale the rows in the cache that were more than the bound behind and were received again
 * @param prefetched the rows that a prefetch received
 * @param evictions the lines that were given to another key
 * @param pushed the rows that were sent with their updates
 * @param sent the bytes of requests
 * @param received the bytes of answers
 * @param withoutCache the bytes of the same look-ups and updates by {@code pullRows} and {@code pushRows}
 */
public record CacheCounters(
        long rows,
        long misses,
        long stale,
        long prefetched,
        long evictions,
        long pushed,
        long sent,
        long received,
        long withoutCache) {
    /** Returns the number of rows that were looked up and did not have to be received by the look-up. */
    public long hits() {
        return rows - misses - stale;
    }
}
