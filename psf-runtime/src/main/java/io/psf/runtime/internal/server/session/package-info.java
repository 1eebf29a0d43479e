/**
 * The state of a node's connections: sessions, the memory of answered calls, and the admission of frames by a memory
 * bound. Imports {@code transport} and {@code server.lane}.
 */
@NullMarked
package io.psf.runtime.internal.server.session;

import org.jspecify.annotations.NullMarked;
