/** Waits for a condition on a whole tensor, without a thread and without a worker that asks. Imports psf-api alone. */
@NullMarked
package io.psf.examples.waiting;

import org.jspecify.annotations.NullMarked;
