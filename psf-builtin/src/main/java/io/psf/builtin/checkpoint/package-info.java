/**
 * Functions that save tensors and load them, and the files that they write (docs/checkpoint.md). Imports psf-api and the
 * room {@code sync}.
 */
@NullMarked
package io.psf.builtin.checkpoint;

import org.jspecify.annotations.NullMarked;
