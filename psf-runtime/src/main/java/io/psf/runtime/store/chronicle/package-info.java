/** The store of native memory. The only room that imports Chronicle. */
@NullMarked
package io.psf.runtime.store.chronicle;

import org.jspecify.annotations.NullMarked;
