/**
 * The entry point for users: {@link io.psf.builtin.Tensors} and the declaration of a tensor. May import every package
 * below it and {@code io.psf.api}; no package below it imports this one.
 */
@NullMarked
package io.psf.builtin;

import org.jspecify.annotations.NullMarked;
