/**
 * How requests come in: the dispatcher accepts connections and keeps their sessions, the router finds the function and
 * the shard of each request. Imports {@code transport} and its own subpackages.
 */
@NullMarked
package io.psf.runtime.internal.server;

import org.jspecify.annotations.NullMarked;
