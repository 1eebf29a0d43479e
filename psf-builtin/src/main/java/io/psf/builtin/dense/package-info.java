/** Functions on whole tensors. Imports psf-api and the package {@code push}. */
@NullMarked
package io.psf.builtin.dense;

import org.jspecify.annotations.NullMarked;
