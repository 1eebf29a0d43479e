/**
 * Stale synchronous parallel: how far the clocks of workers may be apart. Imports psf-api and {@code push}.
 */
@NullMarked
package io.psf.builtin.internal.ssp;

import org.jspecify.annotations.NullMarked;
