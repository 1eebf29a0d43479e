package io.psf.builtin.internal.reports;

/**
 * The values of one tag that one caller has reported.
 *
 * @param tag what they are
 * @param worker the rank of the worker; below 0 for another caller
 * @param steps [n] int64, ascending
 * @param millis [n] int64, when they were reported, in milliseconds since 1970 by the server's clock
 * @param values [n] float64
 * @param stride the server has kept one of so many values
 */
public record ReportedValues(String tag, int worker, long[] steps, long[] millis, double[] values, int stride) {}
