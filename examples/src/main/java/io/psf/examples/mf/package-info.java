/** Matrix factorization: one function on the rows of two tables. Imports psf-api only. */
@NullMarked
package io.psf.examples.mf;

import org.jspecify.annotations.NullMarked;
