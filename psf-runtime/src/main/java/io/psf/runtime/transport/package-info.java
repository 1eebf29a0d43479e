/**
 * Frames and the channels that carry them. The interfaces {@link io.psf.runtime.transport.Transport}, {@link
 * io.psf.runtime.transport.Channel} and {@link io.psf.runtime.transport.Receiver} have one implementation in each subpackage.
 * Imports {@code io.psf.api} alone.
 */
@NullMarked
package io.psf.runtime.transport;

import org.jspecify.annotations.NullMarked;
