/**
 * The certificates of TLS: their files, the checks of peers' certificates, and the authority of a job on one machine.
 * Imports {@code spi.transport} and {@code log}.
 */
@NullMarked
package io.psf.runtime.internal.transport.tls;

import org.jspecify.annotations.NullMarked;
