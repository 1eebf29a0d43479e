/**
 * Partial reduce: which workers reduce together, and the mean of what they send. Imports psf-api and {@code push}.
 */
@NullMarked
package io.psf.builtin.internal.partial;

import org.jspecify.annotations.NullMarked;
