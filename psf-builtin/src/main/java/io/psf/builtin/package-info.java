/**
 * What a user starts from: {@link io.psf.builtin.Tensors} and what a tensor is declared with. May import every room below
 * and {@code io.psf.runtime}; no room below imports it.
 */
@NullMarked
package io.psf.builtin;

import org.jspecify.annotations.NullMarked;
