package io.psf.builtin.checkpoint;

import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.builtin.push.AtMost;
import io.psf.builtin.push.Workers;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The latest attempts to save or load models, and the damaged steps of each model. One server has the attempts for all
 * models, so that workers that save different ones at once are refused. Attached to a server, used on its lane.
 */
final class ModelAttempts implements MemberListener {
    /** A worker may begin the next attempt before a slower one has asked for the outcome of the last. */
    private static final int KEPT = 2;

    /** The most models with damaged steps. */
    static final int MOST_SKIPPED = 1024;

    private final Deque<ModelAttempt> attempts = new ArrayDeque<>();
    private final Map<String, SkippedSteps> skipped = new HashMap<>();
    /** The number of attempts begun so far; the next attempt's number. */
    private long begun;

    static ModelAttempts of(Node server) {
        return server.attachment("psf.model", ModelAttempts.class, ModelAttempts::new);
    }

    /** Returns the attempt that has no leader yet, or begins one. */
    ModelAttempt open(Node server) {
        if (attempts.isEmpty() || attempts.getLast().hasBegun()) {
            attempts.add(new ModelAttempt(
                    begun++, Workers.of(server.members()), late -> server.after(ModelAttempt.TO_HEAR, late)));
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

    /** Returns the damaged steps of a model. */
    SkippedSteps skipped(String model) {
        return skipped.getOrDefault(model, SkippedSteps.NONE);
    }

    /** Adds a damaged step of a model. */
    void skip(String model, long step) {
        CheckpointPath.require("name of model", model);
        SkippedSteps there = skipped.get(model);
        if (there == null) {
            AtMost.requireOneMore(
                    "models with damaged steps, with \"" + model + "\"",
                    skipped.size(),
                    MOST_SKIPPED,
                    "delete the damaged steps");
            there = new SkippedSteps();
            skipped.put(model, there);
        }
        there.add(model, step);
    }

    @Override
    public void membersChanged(List<Member> members) {
        attempts.forEach(attempt -> attempt.retain(Workers.of(members)));
    }
}
