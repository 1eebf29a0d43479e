/**
 * Handlers: how they are found on the class path, and which one serves each function. Imports {@code io.psf.api} alone.
 */
@NullMarked
package io.psf.runtime.internal.server.handler;

import org.jspecify.annotations.NullMarked;
