package io.psf.builtin.internal.training;

import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.PsException;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.push.Workers;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * The latest attempts of all workers to save or load models. One server has those for all models, so that workers that
 * save different ones at once are refused. Attached to a server, used on its lane.
 */
final class ModelAttempts implements MemberListener {
    /** A worker may begin the next attempt before a slower one has asked for the outcome of the last. */
    private static final int KEPT = 2;

    private final StoredNode server;
    private final Deque<ModelAttempt> attempts = new ArrayDeque<>();
    /** The number of attempts begun so far; the next attempt's number. */
    private long begun;

    private ModelAttempts(StoredNode server) {
        this.server = server;
    }

    static ModelAttempts of(StoredNode server) {
        return server.attachment("psf.model", ModelAttempts.class, () -> new ModelAttempts(server));
    }

    /** Returns the attempt that has not begun, or begins one. */
    ModelAttempt open() {
        if (attempts.isEmpty() || attempts.getLast().isComplete()) {
            attempts.add(new ModelAttempt(begun++, server));
        }
        if (attempts.size() > KEPT) {
            attempts.removeFirst();
        }
        return attempts.getLast();
    }

    /**
     * Returns an attempt.
     *
     * @throws PsException with {@code BAD_REQUEST} if later ones have replaced it
     */
    ModelAttempt at(String model, long number) {
        return attempts.stream()
                .filter(attempt -> attempt.number() == number)
                .findFirst()
                .orElseThrow(() -> new PsException(
                        PsException.Code.BAD_REQUEST,
                        "attempt " + number + " for model \"" + model
                                + "\": unknown (expected: one of the latest two; all workers save and load together)"));
    }

    @Override
    public void membersChanged(List<Member> members) {
        Set<Integer> present = Workers.of(members);
        attempts.forEach(attempt -> attempt.retain(present));
    }
}
