/**
 * Which work runs next, and on which thread: {@link io.psf.runtime.server.lane.CallOrder} decides that one call runs
 * before another one, {@link io.psf.runtime.server.lane.Lane} runs them one at a time. Knows neither handlers nor
 * connections. Imports {@code transport}, and of {@code server.shard} the buffer {@code Tile}.
 */
@NullMarked
package io.psf.runtime.server.lane;

import org.jspecify.annotations.NullMarked;
