/**
 * Synchronization of workers: turns their pushes into steps of a shard's optimizer, bounds the difference of their
 * clocks (SSP), and finds the partners of a partial reduce. Imports psf-api and the package {@code optimizer}.
 */
@NullMarked
package io.psf.builtin.sync;

import org.jspecify.annotations.NullMarked;
