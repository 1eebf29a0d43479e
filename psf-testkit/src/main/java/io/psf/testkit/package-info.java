/**
 * What a test of a PS function starts with: {@link io.psf.testkit.PsfTest}. Imports psf-api alone.
 */
@NullMarked
package io.psf.testkit;

import org.jspecify.annotations.NullMarked;
