/**
 * A worker's side of a call: the client, its peers, the calls in flight, their parts, and how each of them ends. Imports {@code
 * transport}; bytes on a wire are not its concern.
 */
@NullMarked
package io.psf.runtime.call;

import org.jspecify.annotations.NullMarked;
