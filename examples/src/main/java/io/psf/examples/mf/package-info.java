/** Matrix factorization: one function on the rows of two tables. Imports psf-api alone. */
@NullMarked
package io.psf.examples.mf;

import org.jspecify.annotations.NullMarked;
