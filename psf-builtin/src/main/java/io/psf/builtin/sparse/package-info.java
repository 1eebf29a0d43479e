/** Functions on rows by key. Imports psf-api and the package {@code sync}. */
@NullMarked
package io.psf.builtin.sparse;

import org.jspecify.annotations.NullMarked;
