/**
 * The execution of requests: the dispatcher, the lanes, the shards, and the handlers that were found. Imports {@code
 * call} and {@code store}.
 */
@NullMarked
package io.psf.runtime.server;

import org.jspecify.annotations.NullMarked;
