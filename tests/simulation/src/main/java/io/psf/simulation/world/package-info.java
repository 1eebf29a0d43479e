/**
 * A simulated cluster, and what workloads and faults are: the interfaces that each of them implements. Imports {@code
 * machine} and {@code net}.
 */
@NullMarked
package io.psf.simulation.world;

import org.jspecify.annotations.NullMarked;
