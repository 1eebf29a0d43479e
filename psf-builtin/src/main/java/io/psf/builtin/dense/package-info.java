/** Functions on whole tensors. Imports psf-api and the package {@code sync}. */
@NullMarked
package io.psf.builtin.dense;

import org.jspecify.annotations.NullMarked;
