/**
 * Functions over rows by key. Imports psf-api and the room {@code sync}.
 */
@NullMarked
package io.psf.builtin.sparse;

import org.jspecify.annotations.NullMarked;
