/**
 * Frames, the channels that carry them, and the calling side: what is outstanding and how it ends. Sees {@code
 * io.psf.api} alone; transports are other rooms, but for the one within a JVM.
 */
@NullMarked
package io.psf.runtime.call;

import org.jspecify.annotations.NullMarked;
