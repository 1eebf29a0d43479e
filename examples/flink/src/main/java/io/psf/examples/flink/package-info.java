/**
 * A Flink job whose model is in a cluster of psf. It sees the API, the builtin functions, and the client of the
 * runtime.
 */
@NullMarked
package io.psf.examples.flink;

import org.jspecify.annotations.NullMarked;
