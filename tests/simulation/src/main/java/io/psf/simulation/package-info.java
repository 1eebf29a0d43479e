/**
 * Runs a whole cluster on one thread, by a seed: {@code docs/simulation.md}. Imports all packages below.
 */
@NullMarked
package io.psf.simulation;

import org.jspecify.annotations.NullMarked;
