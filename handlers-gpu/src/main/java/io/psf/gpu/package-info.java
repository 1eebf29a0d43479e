/** Shards in the memory of a GPU, for handlers that run there: {@link io.psf.gpu.DeviceShard}. */
@NullMarked
package io.psf.gpu;

import org.jspecify.annotations.NullMarked;
