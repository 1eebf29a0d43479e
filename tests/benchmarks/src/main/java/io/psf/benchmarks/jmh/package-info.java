/** Benchmarks of the parts of a call on the calling thread, without a network and without a handler. */
@NullMarked
package io.psf.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
