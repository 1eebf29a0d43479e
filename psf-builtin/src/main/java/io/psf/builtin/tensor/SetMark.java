package io.psf.builtin.tensor;

/** Whether the initial values of a shard have been set. Attached to the shard, used on its lane. */
final class SetMark {
    private boolean isSet;

    /** Marks the values as set. Returns true for the first call. */
    boolean set() {
        boolean first = !isSet;
        isSet = true;
        return first;
    }
}
