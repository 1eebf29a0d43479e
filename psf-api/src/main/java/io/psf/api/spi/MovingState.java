package io.psf.api.spi;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * An attachment with state that a slice takes along when it moves to another shard, and that a checkpoint does not
 * have, such as pushes that wait for others. The other shard is new, was made of the same declaration, and has the
 * attachment from its beginning. Used on the shard's lane.
 */
public interface MovingState {
    /** Returns true if there is such state. */
    default boolean moves() {
        return true;
    }

    /** Writes the state. */
    void saveMoving(DataOutputStream out) throws IOException;

    /**
     * Reads everything that {@link #saveMoving} wrote.
     *
     * @throws IllegalArgumentException if it is the state of another kind of tensor
     */
    void loadMoving(DataInputStream in) throws IOException;
}
