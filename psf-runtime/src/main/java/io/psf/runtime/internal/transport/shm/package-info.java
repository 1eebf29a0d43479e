/**
 * Shared memory of two processes: the segment, its two rings, and doorbells. Knows nothing of frames. Imports nothing
 * of psf.
 */
@NullMarked
package io.psf.runtime.internal.transport.shm;

import org.jspecify.annotations.NullMarked;
