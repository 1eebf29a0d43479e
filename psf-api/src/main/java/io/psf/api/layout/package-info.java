/**
 * The annotations that define how an array of a tuple is distributed over the slices of a tensor, and how answers are
 * folded. Imports nothing.
 */
@NullMarked
package io.psf.api.layout;

import org.jspecify.annotations.NullMarked;
