/**
 * The workloads with their oracles. Imports {@code world} and {@code fault}.
 */
@NullMarked
package io.psf.simulation.workload;

import org.jspecify.annotations.NullMarked;
