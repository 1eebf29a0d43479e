/**
 * Pure math: the rules by which a push changes a shard. Imports psf-api alone.
 */
@NullMarked
package io.psf.builtin.optimizer;

import org.jspecify.annotations.NullMarked;
