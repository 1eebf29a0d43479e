/**
 * The faults: one record each. Imports {@code world}.
 */
@NullMarked
package io.psf.simulation.fault;

import org.jspecify.annotations.NullMarked;
