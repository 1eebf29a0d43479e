/** Frames over TCP. The only package that imports Netty. */
@NullMarked
package io.psf.runtime.netty;

import org.jspecify.annotations.NullMarked;
