package io.psf.api;

/**
 * An attachment of a shard that keeps something by row: told when rows of a growing table are removed, so that it stays
 * aligned with them. On the shard's lane, after values and slots have changed. An attachment that keeps its state by key may
 * listen, too, to forget that of the keys.
 */
public interface RowListener {
    /**
     * A row is no more, and the last row has taken its number, so that rows are numbered without a gap.
     *
     * @param key the key of the row that is no more
     * @param row the number that it had: that of the row which was the last, from now on
     * @param last the number that the last row had: one more than the last number now; the same as {@code row} if the last
     *     row itself was removed
     */
    void rowRemoved(long key, int row, int last);

    /** All rows are no more. */
    void rowsRemoved();
}
