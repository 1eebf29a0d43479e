package io.psf.examples.plot;

/**
 * A measurement of a training.
 *
 * @param x the epochs, rounds or seconds so far
 * @param y the value
 */
public record Point(double x, double y) {}
