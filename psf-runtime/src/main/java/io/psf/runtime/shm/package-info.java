/**
 * A stream of bytes between two processes on one machine, over a file that both have mapped. Depends on {@code
 * io.psf.api} only. The transport wakes the sides, and makes the two processes find each other.
 */
@NullMarked
package io.psf.runtime.shm;

import org.jspecify.annotations.NullMarked;
