/**
 * The types with which a user declares a PS function, the types that a handler sees, and the types that a call returns.
 * Imports nothing beyond the JDK.
 */
@NullMarked
package io.psf.api;

import org.jspecify.annotations.NullMarked;
