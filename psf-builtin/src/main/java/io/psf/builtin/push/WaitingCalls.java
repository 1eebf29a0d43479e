package io.psf.builtin.push;

import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.PsException;
import io.psf.api.spi.Restartable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An attachment in which calls of some workers wait for calls of others. While the workers go back to a checkpoint,
 * such calls are refused. That ends when the workers have loaded it, or when all of them have left. Used on the lane of
 * its shard or node.
 */
public abstract class WaitingCalls implements MemberListener, Restartable {
    private final Supplier<List<Member>> members;
    /** Why calls are refused; null if they are not. */
    private @Nullable PsException abandoned;
    /** The workers that were present at the last abandonment, and have been since. */
    private Set<Integer> returning = Set.of();

    /**
     * Creates an attachment without calls.
     *
     * @param members returns the current members of the cluster
     */
    protected WaitingCalls(Supplier<List<Member>> members) {
        this.members = members;
    }

    @Override
    public final void abandon(PsException reason) {
        abandoned = reason;
        returning = new HashSet<>(Workers.of(members.get()));
        drop(reason);
    }

    @Override
    public final void restart(boolean loaded, Set<Integer> workers) {
        abandoned = null;
        begin(loaded, workers);
    }

    @Override
    public final void membersChanged(List<Member> now) {
        Set<Integer> present = Workers.of(now);
        if (abandoned != null) {
            returning.retainAll(present);
            abandoned = returning.isEmpty() ? null : abandoned;
        }
        changed(now, present);
    }

    /** Fails the calls that wait. */
    protected abstract void drop(PsException reason);

    /** Makes the next call of each worker its first one, as {@link #restart} says. */
    protected abstract void begin(boolean loaded, Set<Integer> workers);

    /**
     * Handles a change of the membership.
     *
     * @param now the current members
     * @param present the ranks of the workers among them
     */
    protected abstract void changed(List<Member> now, Set<Integer> present);

    /**
     * Checks that the workers do not go back to a checkpoint.
     *
     * @throws PsException with {@code ROLLED_BACK}
     */
    protected final void requireNotAbandoned() {
        if (abandoned != null) {
            throw abandoned;
        }
    }

    /** Returns the failure of calls that belong to steps after the checkpoint that was loaded. */
    public static PsException dropped(String what) {
        return new PsException(
                PsException.Code.ROLLED_BACK,
                what + ": waits for other workers, which have loaded a checkpoint (expected: loaded by all workers)");
    }
}
