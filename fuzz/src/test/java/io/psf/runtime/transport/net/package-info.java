/** Fuzz tests of the transport over sockets: bytes of a hostile peer. */
@NullMarked
package io.psf.runtime.transport.net;

import org.jspecify.annotations.NullMarked;
