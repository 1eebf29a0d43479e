/** The counts of a build's tests. Imports nothing of psf. */
@NullMarked
package io.psf.counts;

import org.jspecify.annotations.NullMarked;
