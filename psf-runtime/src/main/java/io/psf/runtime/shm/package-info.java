/**
 * Bytes between two processes of one machine, over one file that both have mapped. Sees {@code io.psf.api} alone; who
 * wakes whom, and how the two find each other, is the business of a transport.
 */
@NullMarked
package io.psf.runtime.shm;

import org.jspecify.annotations.NullMarked;
