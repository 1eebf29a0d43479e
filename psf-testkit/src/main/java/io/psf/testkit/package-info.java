/**
 * Tests of PS functions, {@link io.psf.testkit.PsfTest}, and of optimizers, {@link io.psf.testkit.TestShard}. Imports
 * psf-api only.
 */
@NullMarked
package io.psf.testkit;

import org.jspecify.annotations.NullMarked;
