/** Functions on rows by key. Imports psf-api and the package {@code push}. */
@NullMarked
package io.psf.builtin.sparse;

import org.jspecify.annotations.NullMarked;
