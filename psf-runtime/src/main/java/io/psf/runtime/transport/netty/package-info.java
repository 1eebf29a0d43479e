/**
 * The transport over Netty, the only package that imports it. Imports {@code transport}.
 */
@NullMarked
package io.psf.runtime.transport.netty;

import org.jspecify.annotations.NullMarked;
