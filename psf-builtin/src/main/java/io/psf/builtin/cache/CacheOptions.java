package io.psf.builtin.cache;

/**
 * The options of a cache.
 *
 * @param lines the number of rows that it holds
 * @param levels the levels of {@link UseOrder}: 1 for LRU
 * @param pullBound the number of updates that a row may lack; {@code Long.MAX_VALUE} if rows are not compared
 * @param pushBound the number of unsent updates that a row may have
 * @param scale the factor by which an update is added to the cached row; 0 if it is not
 * @param pushFirst true if a look-up sends the unsent updates of a row and requests the row
 */
public record CacheOptions(int lines, int levels, long pullBound, long pushBound, float scale, boolean pushFirst) {
    /** True if a look-up requests missing rows only. */
    boolean unlimited() {
        return pullBound == Long.MAX_VALUE;
    }
}
