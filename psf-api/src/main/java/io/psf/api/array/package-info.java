/**
 * The arrays of a tuple: shared, bounds-checked, on-heap or off-heap. They are not copied before the transport needs
 * their bytes. Imports nothing beyond the JDK.
 */
@NullMarked
package io.psf.api.array;

import org.jspecify.annotations.NullMarked;
