package io.psf.builtin.internal.states;

/**
 * Consecutive rows of a slot of an optimizer.
 *
 * @param row the key of the first row
 * @param optimizer the name that identifies the meaning of the state
 * @param slot the slot's name
 * @param width the number of floats in a row of the slot
 * @param values [rows, width] float32
 */
public record StatePart(long row, String optimizer, String slot, int width, float[] values) {}
