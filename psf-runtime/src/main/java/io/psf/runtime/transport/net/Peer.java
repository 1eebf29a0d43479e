package io.psf.runtime.transport.net;

import io.psf.runtime.transport.PeerWatch;

/**
 * The other end of a connection.
 *
 * @param name its address, for messages
 * @param watch detects that it keeps this side waiting
 * @param mayShare true if the connection may continue over shared memory when the peer requests that
 */
record Peer(String name, PeerWatch watch, boolean mayShare) {}
