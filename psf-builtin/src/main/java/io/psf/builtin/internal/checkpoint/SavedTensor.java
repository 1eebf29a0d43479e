package io.psf.builtin.internal.checkpoint;

/**
 * A tensor of a saved model.
 *
 * @param tensor the tensor's name
 * @param rows the number of rows
 * @param width the number of floats in a row
 * @param save the unique number of the tensor's save
 */
public record SavedTensor(String tensor, long rows, int width, long save) {}
