/**
 * Functions that save and load tensors, and the files that they write (docs/checkpoint.md). Imports psf-api and the
 * packages {@code push} and {@code optimizer}.
 */
@NullMarked
package io.psf.builtin.checkpoint;

import org.jspecify.annotations.NullMarked;
