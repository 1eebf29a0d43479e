/** How fast psf is, against what the machine can do at best, in the same minutes. */
@NullMarked
package io.psf.benchmarks;

import org.jspecify.annotations.NullMarked;
