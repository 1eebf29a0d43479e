/** Where a shard's floats lie: mapped files here, native memory in the room below. Imports the JDK and io.psf.api alone. */
@NullMarked
package io.psf.runtime.store;

import org.jspecify.annotations.NullMarked;
