/**
 * The control plane of a large cluster in one process: the scheduler is real, the nodes and the clock are simulated.
 */
@NullMarked
package io.psf.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
