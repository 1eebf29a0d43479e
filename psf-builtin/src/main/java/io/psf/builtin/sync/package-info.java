/**
 * How workers go together: how their pushes become steps of a shard's optimizer, how far they may be apart (SSP), and who
 * reduces with whom (partial reduce). Imports psf-api and the room {@code optimizer}.
 */
@NullMarked
package io.psf.builtin.sync;

import org.jspecify.annotations.NullMarked;
