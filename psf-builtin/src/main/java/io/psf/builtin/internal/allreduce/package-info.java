/**
 * All-reduce: each worker sends values and receives their sum, mean or maximum over all workers; and the shard on which
 * a worker steps its own copy of weights. Imports psf-api, {@code push}, {@code optimizer} and {@code
 * named}.
 */
@NullMarked
package io.psf.builtin.internal.allreduce;

import org.jspecify.annotations.NullMarked;
