/** The entry point for tests of PS functions: {@link io.psf.testkit.PsfTest}. Imports psf-api only. */
@NullMarked
package io.psf.testkit;

import org.jspecify.annotations.NullMarked;
