/**
 * How the pushes of several workers become steps of a shard's optimizer. Imports psf-api and the room {@code optimizer}.
 */
@NullMarked
package io.psf.builtin.sync;

import org.jspecify.annotations.NullMarked;
