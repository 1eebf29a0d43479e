/** The store of native memory, the only package that imports Chronicle. */
@NullMarked
package io.psf.runtime.store.chronicle;

import org.jspecify.annotations.NullMarked;
