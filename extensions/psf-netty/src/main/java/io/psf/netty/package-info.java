/**
 * The transport over Netty, the only package that imports it. Imports {@code io.psf.runtime.spi.transport}.
 */
@NullMarked
package io.psf.netty;

import org.jspecify.annotations.NullMarked;
