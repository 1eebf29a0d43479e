package io.psf.builtin.push;

import io.psf.api.Member;
import io.psf.api.PsException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says whether the workers go back to a checkpoint. Calls that wait for other workers are refused meanwhile. That ends when
 * the workers have loaded it, or when all of them have left. Used on one lane.
 */
public final class Abandoned {
    private @Nullable PsException reason;
    private Set<Integer> workers = Set.of();

    /** Returns the failure of calls that belong to steps after the checkpoint that was loaded. */
    public static PsException dropped(String what) {
        return new PsException(
                PsException.Code.ROLLED_BACK,
                what + ": waits for other workers, which have loaded a checkpoint (expected: loaded by all workers)");
    }

    /** Begins, with the workers that are present. */
    public void begin(PsException why, List<Member> members) {
        reason = why;
        workers = Workers.of(members);
    }

    /** Ends. */
    public void end() {
        reason = null;
        workers = Set.of();
    }

    /** Learns which workers are present. */
    public void retain(Set<Integer> present) {
        if (reason != null) {
            workers.retainAll(present);
            if (workers.isEmpty()) {
                end();
            }
        }
    }

    /**
     * Checks that the workers do not go back.
     *
     * @throws PsException with {@code ROLLED_BACK}
     */
    public void requireNot() {
        if (reason != null) {
            throw reason;
        }
    }
}
