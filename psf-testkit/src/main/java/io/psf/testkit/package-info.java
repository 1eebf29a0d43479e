/**
 * Tests of PS functions, {@link io.psf.testkit.PsfTest}, and of optimizers, {@link io.psf.testkit.TestShard}. Imports
 * psf-api, and of psf-runtime the nodes of a server, with their shards and the order of calls.
 */
@NullMarked
package io.psf.testkit;

import org.jspecify.annotations.NullMarked;
