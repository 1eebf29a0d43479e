/**
 * Frames and the channels that carry them. {@link io.psf.runtime.spi.transport.Transport} and {@link
 * io.psf.runtime.spi.transport.Channel} are implemented in the packages {@code memory} and {@code net} below {@code
 * io.psf.runtime.internal.transport}, and in other artifacts, which have a {@link
 * io.psf.runtime.spi.transport.TransportProvider}; {@code shm} has the rings that {@code net} uses. {@link
 * io.psf.runtime.spi.transport.Receiver} and {@link io.psf.runtime.spi.transport.Acceptor} are implemented by the
 * packages {@code call} and {@code server}. Imports {@code io.psf.api} alone.
 */
@NullMarked
package io.psf.runtime.spi.transport;

import org.jspecify.annotations.NullMarked;
