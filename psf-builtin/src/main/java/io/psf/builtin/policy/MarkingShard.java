package io.psf.builtin.policy;

import io.psf.api.Shard;

/**
 * A shard that has the marks of its rows beside them, such as in a device's memory, and chooses and removes rows by
 * them.
 */
public interface MarkingShard extends Shard {
    /** Returns the memory for the marks, which a table with a policy asks for. */
    MarkMemory marks();
}
