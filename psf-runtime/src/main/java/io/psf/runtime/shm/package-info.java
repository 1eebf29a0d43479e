/**
 * A stream of bytes between two processes on one machine, over a file that both have mapped. Depends on {@code
 * io.psf.api} only. A transport wakes the sides, and exchanges the name and the token of the file.
 */
@NullMarked
package io.psf.runtime.shm;

import org.jspecify.annotations.NullMarked;
