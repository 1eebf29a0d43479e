/**
 * The network of the simulation: connections that are slow, break, and lose their other end. Imports {@code machine}
 * and the transport of psf.
 */
@NullMarked
package io.psf.simulation.net;

import org.jspecify.annotations.NullMarked;
