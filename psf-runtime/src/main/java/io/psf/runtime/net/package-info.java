/**
 * Channels over sockets and over shared memory. A thread that awaits an answer reads it from the channel itself, so
 * that the answer is not passed from thread to thread.
 */
@NullMarked
package io.psf.runtime.net;

import org.jspecify.annotations.NullMarked;
