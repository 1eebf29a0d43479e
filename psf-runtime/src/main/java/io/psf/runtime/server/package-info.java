/**
 * Where requests are run: the dispatcher, the lanes, the shards, and the handlers that were found. Sees {@code call} and
 * {@code store}.
 */
@NullMarked
package io.psf.runtime.server;

import org.jspecify.annotations.NullMarked;
