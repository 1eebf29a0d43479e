/**
 * The logger of simulated nodes. Imports {@code machine}.
 */
@NullMarked
package io.psf.simulation.log;

import org.jspecify.annotations.NullMarked;
