/** Programs that a newcomer reads in one sitting: the smallest one here, a function of one's own, a model that learns. */
@NullMarked
package io.psf.examples;

import org.jspecify.annotations.NullMarked;
