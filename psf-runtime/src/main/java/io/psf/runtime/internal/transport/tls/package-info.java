/** The certificates of TLS: their files, and the checks of those of peers. Imports {@code spi.transport} and {@code log}. */
@NullMarked
package io.psf.runtime.internal.transport.tls;

import org.jspecify.annotations.NullMarked;
