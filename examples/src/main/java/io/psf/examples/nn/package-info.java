/**
 * A small neural network in plain Java, whose weights and gradients are arrays with names. Knows nothing of servers.
 */
@NullMarked
package io.psf.examples.nn;

import org.jspecify.annotations.NullMarked;
