package io.psf.api;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * An attachment of a shard that is saved and loaded with the shard. The state is written row by row, so that a tensor
 * can be loaded on a different number of servers: the state of a row is loaded by the shard that owns the row at that
 * time. State that belongs to no row, such as a count of calls, is the shard's total. Each saved total is loaded by
 * exactly one of the shards that load the tensor. One shard may load several totals, or none. State that is the same on
 * all shards is read by {@link #loadOverlappingTotal} as well.
 *
 * <pre>{@code
 * final class Visits implements Checkpointed {
 *     private final Map<Long, Integer> byRow = new HashMap<>();
 *     private long all;
 *
 *     public void saveRow(long key, DataOutput out) throws IOException {
 *         Integer visits = byRow.get(key);
 *         if (visits != null) {
 *             out.writeInt(visits);
 *         }
 *     }
 *
 *     public void loadRow(long key, DataInput in) throws IOException {
 *         byRow.put(key, in.readInt());
 *     }
 *
 *     public void saveTotal(DataOutput out) throws IOException {
 *         out.writeLong(all);
 *     }
 *
 *     public void loadTotal(DataInput in) throws IOException {
 *         all += in.readLong();
 *     }
 * }
 * }</pre>
 *
 * <p>Loading discards the attachment. The next request for the attachment creates it with that request's factory, and
 * then loads its rows and totals. For this reason a function requests its attachment in each call and does not store
 * it. The state is found by the name of the class under which it is attached. All methods run on the shard's lane.
 */
public interface Checkpointed {
    /**
     * True if the attachment calls {@link Shard#changed} for each row whose state it changes, other than a row that is
     * created or removed. Then an incremental save of the shard writes the rows that have changed; otherwise it has all
     * rows, since nobody knows of which rows the state has changed. Need not be true of an attachment without {@link
     * #saveRow}: its total is in every save.
     */
    default boolean tellsChanges() {
        return false;
    }

    /**
     * Writes the state of a row. If nothing is written, nothing is loaded for the row.
     *
     * @param key a global key that the shard owns
     */
    default void saveRow(long key, DataOutput out) throws IOException {}

    /**
     * Reads everything that {@link #saveRow} wrote for a row.
     *
     * @param key a global key that the shard owns
     * @throws IOException if the data is not of that form; the call that requested the attachment fails
     */
    default void loadRow(long key, DataInput in) throws IOException {}

    /** Writes the state that belongs to no row. If nothing is written, nothing is loaded. */
    default void saveTotal(DataOutput out) throws IOException {}

    /**
     * Adds everything that {@link #saveTotal} wrote on one shard to the current state.
     *
     * @throws IOException if the data is not of that form; the call that requested the attachment fails
     */
    default void loadTotal(DataInput in) throws IOException {}

    /**
     * Reads a total that another shard loads, of a saved shard whose range overlaps this shard's range: for state that
     * all shards have alike, such as a number of steps. If there are more shards than were saved, some have only such
     * totals. Ignored by default.
     *
     * @throws IOException if the data is not of that form; the call that requested the attachment fails
     */
    default void loadOverlappingTotal(DataInput in) throws IOException {}
}
