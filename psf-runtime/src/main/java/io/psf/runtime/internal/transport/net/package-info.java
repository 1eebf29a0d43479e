/**
 * The transport over sockets, and over shared memory between processes of one machine: the reactor, its channels, and
 * reading and writing of frames. Imports {@code spi.transport}, {@code
 * transport.shm} and {@code log}.
 */
@NullMarked
package io.psf.runtime.internal.transport.net;

import org.jspecify.annotations.NullMarked;
