/**
 * Frames and the channels that carry them. {@link io.psf.runtime.transport.Transport} and {@link
 * io.psf.runtime.transport.Channel} are implemented in the subpackages {@code memory}, {@code net} and {@code netty};
 * {@code shm} has the rings that {@code net} uses. {@link io.psf.runtime.transport.Receiver} and {@link
 * io.psf.runtime.transport.Acceptor} are implemented by the packages {@code call} and {@code server}. Imports {@code
 * io.psf.api} alone.
 */
@NullMarked
package io.psf.runtime.transport;

import org.jspecify.annotations.NullMarked;
