/**
 * The transport over sockets, and over shared memory between processes of one machine: the reactor, its channels, and
 * reading and writing of frames. Imports {@code transport} and {@code transport.shm}.
 */
@NullMarked
package io.psf.runtime.transport.net;

import org.jspecify.annotations.NullMarked;
