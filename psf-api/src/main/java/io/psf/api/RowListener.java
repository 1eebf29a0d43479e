package io.psf.api;

/**
 * Implemented by an attachment of a shard that holds state per row number: it is notified when rows of a growing table
 * are removed, so that its state stays aligned with the rows. Runs on the shard's lane, after values and slots have
 * changed. An attachment that holds state per key may implement it, too, to discard the state of removed keys.
 */
public interface RowListener {
    /**
     * Handles the removal of a row. The last row has taken the number of the removed row, so that rows are numbered
     * without gaps.
     *
     * @param key the key of the removed row
     * @param row the number of the removed row, which is now the number of the row that was last
     * @param last the number that the last row had: one more than the present last number; equal to {@code row} if the
     *     last row itself was removed
     */
    void rowRemoved(long key, int row, int last);

    /** Handles the removal of all rows. */
    void rowsRemoved();
}
