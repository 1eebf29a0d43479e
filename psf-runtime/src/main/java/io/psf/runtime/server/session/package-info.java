/**
 * What a node knows of its connections: sessions, the memory of answered calls, and the admission of frames by a memory bound.
 * Imports {@code transport} and {@code server.lane}.
 */
@NullMarked
package io.psf.runtime.server.session;

import org.jspecify.annotations.NullMarked;
