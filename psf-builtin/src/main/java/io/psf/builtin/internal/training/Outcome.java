package io.psf.builtin.internal.training;

/**
 * The outcome of a meeting, for each of its workers.
 *
 * @param gives true if this worker is to copy its reduced weights to the servers, and to come again
 * @param step the step that was saved or loaded; -1 if none was
 * @param last true if this cut is the last one of the loop
 * @param manifest the text of the manifest of the step that was loaded; empty otherwise
 */
record Outcome(boolean gives, long step, boolean last, String manifest) {
    /** In place of a step: none was saved or loaded. */
    static final long NONE = -1;

    static final Outcome GIVE = new Outcome(true, NONE, false, "");

    static Outcome saved(long step, boolean last) {
        return new Outcome(false, step, last, "");
    }
}
