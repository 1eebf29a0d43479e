/**
 * The memory of a shard's floats: mapped files here, native memory in the package below. Each store has an account of its
 * memory. Imports only the JDK and io.psf.api.
 */
@NullMarked
package io.psf.runtime.store;

import org.jspecify.annotations.NullMarked;
