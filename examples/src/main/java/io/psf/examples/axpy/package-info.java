/** A PS function of one's own, whole: its declaration, its handler, a program that calls it. */
@NullMarked
package io.psf.examples.axpy;

import org.jspecify.annotations.NullMarked;
