/**
 * Which work runs next, and on which thread: {@link io.psf.runtime.internal.server.lane.CallOrder} decides that one
 * call runs before another one, {@link io.psf.runtime.internal.server.lane.Lane} runs them one at a time. Knows neither
 * handlers nor connections. Imports {@code transport}.
 */
@NullMarked
package io.psf.runtime.internal.server.lane;

import org.jspecify.annotations.NullMarked;
