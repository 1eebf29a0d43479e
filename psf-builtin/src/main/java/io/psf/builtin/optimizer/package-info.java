/** The rules by which a push changes a shard, as pure computation. Imports psf-api and {@code named}. */
@NullMarked
package io.psf.builtin.optimizer;

import org.jspecify.annotations.NullMarked;
