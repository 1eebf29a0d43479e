/**
 * What a user declares a PS function with, what a handler sees, and what a call gives back. Imports nothing beyond the
 * JDK.
 */
@NullMarked
package io.psf.api;

import org.jspecify.annotations.NullMarked;
