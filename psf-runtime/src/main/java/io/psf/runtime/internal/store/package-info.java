/** The choice of the stores, and native memory with the JDK alone. Imports the spi of stores. */
@NullMarked
package io.psf.runtime.internal.store;

import org.jspecify.annotations.NullMarked;
