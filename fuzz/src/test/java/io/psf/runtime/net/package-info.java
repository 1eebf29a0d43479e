/** The room's own parts, on what a hostile peer may send. */
@NullMarked
package io.psf.runtime.net;

import org.jspecify.annotations.NullMarked;
