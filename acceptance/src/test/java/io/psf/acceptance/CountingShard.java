package io.psf.acceptance;

import io.psf.api.Shard;

/** A shard that counts how often its values are read. */
public interface CountingShard extends Shard {
    long reads();
}
