package io.psf.builtin.internal.checkpoint;

import io.psf.builtin.push.AtMost;
import java.util.HashSet;
import java.util.Set;

/**
 * The steps of a model that a load has skipped since they are damaged. Known until the server ends: the next load that
 * meets them reads them again. Used on the server's lane.
 */
final class SkippedSteps {
    /** The steps of a model that has no damaged ones. No step is added to it. */
    static final SkippedSteps NONE = new SkippedSteps();

    /** The most damaged steps of a model. */
    static final int MOST = 1024;

    private final Set<Long> steps = new HashSet<>();
    /** True from a skip until a save of all rows: the disk that damaged a file may have damaged others. */
    private boolean wholeNext;

    void add(String model, long step) {
        if (!steps.contains(step)) {
            AtMost.requireOneMore(
                    "damaged steps of model \"" + model + "\", with " + step,
                    steps.size(),
                    MOST,
                    "delete the damaged steps");
        }
        steps.add(step);
        wholeNext = true;
    }

    boolean has(long step) {
        return steps.contains(step);
    }

    boolean mayBeBuiltOn(long step) {
        return !wholeNext && !has(step);
    }

    /** Forgets a step that is saved again, or deleted. */
    void remove(long step) {
        steps.remove(step);
    }

    /** Lets later saves build on the save that is complete now. */
    void saved() {
        wholeNext = false;
    }
}
