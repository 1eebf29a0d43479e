/** A complete custom PS function: the declaration, the handler, and a program that calls it. */
@NullMarked
package io.psf.examples.axpy;

import org.jspecify.annotations.NullMarked;
