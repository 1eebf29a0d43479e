/** Handlers of builtin functions for shards on a device, where the default handlers need a view of the values. */
@NullMarked
package io.psf.gpu.handler;

import org.jspecify.annotations.NullMarked;
