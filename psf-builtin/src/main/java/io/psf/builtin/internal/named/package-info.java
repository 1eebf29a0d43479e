/**
 * The optimizers and initializers that a class path has, by the names by which specs select them, and the failure of a
 * request with invalid arguments. Imports psf-api.
 */
@NullMarked
package io.psf.builtin.internal.named;

import org.jspecify.annotations.NullMarked;
