/**
 * Functions over whole tensors. Imports psf-api and the room {@code sync}.
 */
@NullMarked
package io.psf.builtin.dense;

import org.jspecify.annotations.NullMarked;
