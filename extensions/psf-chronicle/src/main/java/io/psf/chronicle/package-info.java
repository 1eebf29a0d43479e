/**
 * The memory of tensors: native memory with Chronicle, and mapped files. The only package that imports Chronicle.
 * Imports {@code io.psf.runtime.spi.store}.
 */
@NullMarked
package io.psf.chronicle;

import org.jspecify.annotations.NullMarked;
