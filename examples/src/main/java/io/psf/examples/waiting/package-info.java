/** Waits for a condition on a whole tensor, without blocking a thread or a lane. Imports psf-api only. */
@NullMarked
package io.psf.examples.waiting;

import org.jspecify.annotations.NullMarked;
