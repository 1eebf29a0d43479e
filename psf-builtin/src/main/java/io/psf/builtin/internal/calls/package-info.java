/**
 * Calls of a facade with work of the caller before or behind them. Imports psf-api and the package {@code sparse}.
 */
@NullMarked
package io.psf.builtin.internal.calls;

import org.jspecify.annotations.NullMarked;
