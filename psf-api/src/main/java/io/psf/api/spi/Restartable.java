package io.psf.api.spi;

import io.psf.api.PsException;
import java.util.Set;

/**
 * An attachment in which calls of some workers wait for calls of others, such as the pushes of a round. Used on the
 * lane of its shard or node.
 */
public interface Restartable {
    /**
     * Fails the waiting calls, and the calls that come before {@link #restart}: the workers go back to a checkpoint.
     *
     * @param reason the failure of these calls
     */
    void abandon(PsException reason);

    /**
     * Waits for no call of a worker, which has joined and does not begin yet, or has ended its epoch, until it {@link
     * #restart begins} or {@link #resume goes on}.
     */
    default void pause(int worker) {}

    /**
     * Waits for workers again, which have all ended an epoch and begin the next one. The next call of each is its first
     * one, as with {@link #restart}.
     *
     * @param workers the ranks of the workers
     */
    default void resume(Set<Integer> workers) {}

    /**
     * Makes the next call of each worker its first one: all begin at the same step. No call waits, except one whose
     * worker has given it up.
     *
     * @param loaded true if they have loaded a checkpoint; false if they go on from here, with workers that have joined
     * @param workers the ranks of the workers that begin
     */
    void restart(boolean loaded, Set<Integer> workers);
}
