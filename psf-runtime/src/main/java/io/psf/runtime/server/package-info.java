/**
 * Where requests run: the dispatcher, invocations, lanes, the node and its shards. Imports {@code transport}, {@code call},
 * {@code store} and its own subpackages.
 */
@NullMarked
package io.psf.runtime.server;

import org.jspecify.annotations.NullMarked;
