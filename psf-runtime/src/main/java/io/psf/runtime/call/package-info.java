/**
 * Frames, the channels that carry them, and the calling side: the outstanding calls and how they end. Depends on {@code
 * io.psf.api} only. Transports are in packages of their own, except the one within a JVM.
 */
@NullMarked
package io.psf.runtime.call;

import org.jspecify.annotations.NullMarked;
