package io.psf.runtime.internal.transport.net;

import io.psf.runtime.spi.transport.PeerWatch;

/**
 * The other end of a connection.
 *
 * @param name its address, for messages
 * @param watch detects that it keeps this side waiting
 */
record RemoteEnd(String name, PeerWatch watch) {}
