/**
 * Functions that save and load tensors, and the files that they write (docs/checkpoint.md). Imports psf-api and the
 * package {@code sync}.
 */
@NullMarked
package io.psf.builtin.checkpoint;

import org.jspecify.annotations.NullMarked;
