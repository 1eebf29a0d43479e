/**
 * One request, from its handler to its answer, and the calls that its handler makes. Knows the node and its shards as
 * {@link io.psf.runtime.internal.server.invocation.CallTarget} alone. Imports {@code transport}, {@code call},
 * {@code server.lane} and {@code server.session}.
 */
@NullMarked
package io.psf.runtime.internal.server.invocation;

import org.jspecify.annotations.NullMarked;
