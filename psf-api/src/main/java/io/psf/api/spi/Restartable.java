package io.psf.api.spi;

import io.psf.api.PsException;
import java.util.Set;

/**
 * An attachment in which calls of some workers wait for those of others, such as the pushes of a round. Used on the lane of
 * its shard or node.
 */
public interface Restartable {
    /**
     * Fails the calls that wait, and those that come before {@link #restart}: the workers go back to a checkpoint.
     *
     * @param reason the failure of these calls
     */
    void abandon(PsException reason);

    /** Waits for no call of a worker, which has joined and does not begin yet, until it {@link #restart begins}. */
    default void pause(int worker) {}

    /**
     * Makes the next call of each worker its first one: all begin at the same step. No call waits, except one whose worker has
     * given it up.
     *
     * @param loaded true if they have loaded a checkpoint; false if they go on from here, with workers that have joined
     * @param workers the ranks of the workers that begin
     */
    void restart(boolean loaded, Set<Integer> workers);
}
