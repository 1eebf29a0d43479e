/** Short example programs: the smallest program, a custom function, and the training of a model. */
@NullMarked
package io.psf.examples;

import org.jspecify.annotations.NullMarked;
