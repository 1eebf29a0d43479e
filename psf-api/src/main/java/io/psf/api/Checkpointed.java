package io.psf.api;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * An attachment of a shard that is saved and loaded with it. The state is written row by row, so that a tensor may be
 * loaded on another number of servers: what a row wrote comes to the shard that owns the row then. State of no row, such
 * as how many calls there have been, is the shard's total: each total comes to one shard of those that load it, and a
 * shard may be given several, or none.
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
 * <p>Loading makes the attachment anew, by the factory of whoever asks for it next, and then loads its rows and totals:
 * a function asks for its attachment in each call and does not keep it. The state is found again by the name of the class
 * that it is attached by. All methods run on the shard's lane.
 */
public interface Checkpointed {
    /**
     * Writes the state of a row. A row that writes nothing is not loaded.
     *
     * @param key a global key that the shard owns
     */
    default void saveRow(long key, DataOutput out) throws IOException {}

    /**
     * Reads all that {@link #saveRow} wrote for a row.
     *
     * @param key a global key that the shard owns
     * @throws IOException if it is something else; the call that asked for the attachment fails
     */
    default void loadRow(long key, DataInput in) throws IOException {}

    /** Writes the state that belongs to no row. One that writes nothing is not loaded. */
    default void saveTotal(DataOutput out) throws IOException {}

    /**
     * Adds all that {@link #saveTotal} wrote on one shard to what is there.
     *
     * @throws IOException if it is something else; the call that asked for the attachment fails
     */
    default void loadTotal(DataInput in) throws IOException {}
}
