/** Frames over TCP. The only room that imports Netty. */
@NullMarked
package io.psf.runtime.netty;

import org.jspecify.annotations.NullMarked;
