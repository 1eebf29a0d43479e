/** What the parts of a call cost on the thread that makes it, without a network and without a handler. */
@NullMarked
package io.psf.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
