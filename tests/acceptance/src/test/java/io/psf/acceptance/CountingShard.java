package io.psf.acceptance;

import io.psf.api.Shard;

/** A shard that counts how often its values are pulled, and by how many threads it is used. */
public interface CountingShard extends Shard {
    long reads();

    /** Returns the number of threads that have made and used the shard. */
    int threads();
}
