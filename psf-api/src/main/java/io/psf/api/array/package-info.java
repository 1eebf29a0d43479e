/**
 * The arrays of a tuple: shared, never copied before the transport needs their bytes, bounds-checked, on the heap or
 * off it. Imports nothing beyond the JDK.
 */
@NullMarked
package io.psf.api.array;

import org.jspecify.annotations.NullMarked;
