/**
 * The memory of a shard's floats. Each store has an account of its memory. A {@link
 * io.psf.runtime.spi.store.StoreProvider} of another artifact brings further stores. Imports only the JDK and
 * io.psf.api.
 */
@NullMarked
package io.psf.runtime.spi.store;

import org.jspecify.annotations.NullMarked;
