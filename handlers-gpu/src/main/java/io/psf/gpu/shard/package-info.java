/** Shards in the memory of a device: where they are made, their rows, and how the builtin functions run on them. */
@NullMarked
package io.psf.gpu.shard;

import org.jspecify.annotations.NullMarked;
