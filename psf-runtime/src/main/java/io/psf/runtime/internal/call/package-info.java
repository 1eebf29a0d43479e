/**
 * A worker's side of a call: the client, its peers, the calls in flight, their parts, and how each of them ends.
 * Imports {@code spi.transport} and {@code log}; bytes on a wire are not its concern.
 */
@NullMarked
package io.psf.runtime.internal.call;

import org.jspecify.annotations.NullMarked;
