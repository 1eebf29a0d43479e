/** An optimizer of one's own. */
@NullMarked
package io.psf.examples.lion;

import org.jspecify.annotations.NullMarked;
