/** Benchmarks of psf, as ratios to the machine's floors, measured in the same run. */
@NullMarked
package io.psf.benchmarks;

import org.jspecify.annotations.NullMarked;
