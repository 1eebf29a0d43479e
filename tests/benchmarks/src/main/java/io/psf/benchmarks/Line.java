package io.psf.benchmarks;

import org.jspecify.annotations.Nullable;

/**
 * One line of the table: our figure and the floor's.
 *
 * @param name the name of the measured figure
 * @param unit the unit of both figures
 * @param goal the goal; null for none
 */
record Line(String name, String unit, @Nullable Goal goal) {}
