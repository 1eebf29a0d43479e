package io.psf.benchmarks;

import org.jspecify.annotations.Nullable;

/**
 * One line of the table: one figure of ours and, beside it, the floor's.
 *
 * @param name what is measured
 * @param unit of ours and of the floor
 * @param goal null for none
 */
record Line(String name, String unit, @Nullable Goal goal) {}
