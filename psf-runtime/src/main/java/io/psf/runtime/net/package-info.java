/**
 * Channels over sockets. Who waits for an answer reads it from the socket on its own thread, without a hand-over.
 */
@NullMarked
package io.psf.runtime.net;

import org.jspecify.annotations.NullMarked;
