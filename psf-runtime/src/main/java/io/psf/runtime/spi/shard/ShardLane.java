package io.psf.runtime.spi.shard;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.Member;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.spi.KeptAnswers;
import io.psf.runtime.spi.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;

/**
 * The call being answered on a shard, and the services of its lane and server. The methods of {@link Shard} of the same
 * names describe them. Used on the lane, and before that by the thread that makes the shard.
 */
public interface ShardLane {
    /** Returns the call being answered. */
    CallInfo call();

    /**
     * Returns the number of the piece of work that runs on the lane: it differs from the number of any later piece. A
     * shard may give up memory that it has lent to a handler when a later piece runs.
     */
    long turn();

    /** True if the function of the call being answered is read-only: it changes nothing. */
    boolean isReadOnly();

    /**
     * Permits a change of the shard's state, unless the function of the call being answered is read-only.
     *
     * @param what the change, for the message
     * @throws io.psf.api.PsException with {@code HANDLER_FAILED}, naming the function
     */
    void requireMayChange(String what);

    /** Returns the caller of the handler that runs now. */
    Caller caller();

    /** Runs work on the lane after a delay. */
    Future<?> after(Duration delay, Runnable work);

    /** Returns the shard of the same slice of another tensor. */
    Shard other(TensorId tensor);

    /** Returns a task that releases the memory of the request being handled. */
    Runnable requestRelease();

    /** Returns the current members of the cluster. */
    List<Member> members();

    /**
     * Makes a shard in the server's own memory, as the server does for tensors without a placement. A factory may wrap
     * it, and passes the calls of {@link MadeShard} on. Its shard is a {@link io.psf.api.spi.StoredShard}.
     */
    MadeShard inHostMemory(Slice slice, Store store);

    /**
     * Puts work of the call being answered off until its answer is written, such as the reading of the values. The
     * answers of calls that only read, one after the other in a chain, are written after all of them have been handled:
     * a shard may do their work at once. The work runs on the lane; if it throws, the call fails.
     *
     * @return false if the work is not put off: the shard does it now
     */
    boolean beforeAnswer(Runnable work);

    /** Allocates scratch memory for the answer, [n] float32. */
    FloatArray allocate(int n);

    /** Allocates scratch memory for the numbers of rows that the answer has, [at least n]. */
    int[] allocateRows(int n);

    /** True if other work waits for the piece that runs. May be outdated. */
    default boolean isAwaited() {
        return false;
    }

    /** Returns the answers of calls on the shard that its server keeps. */
    default KeptAnswers keptAnswers() {
        return KeptAnswers.NONE;
    }
}
