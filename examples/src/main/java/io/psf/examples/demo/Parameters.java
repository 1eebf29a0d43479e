package io.psf.examples.demo;

/**
 * The parameters that one batch needs, or their gradients.
 *
 * @param wide [rows] float32, a weight for each key of the batch
 * @param embedding [rows, width] float32, a vector for each key of the batch
 * @param dense [dense] float32: the hidden layer's weights [inputs, hidden] and bias [hidden], the output's weights
 *     [hidden] and bias [1], in this order
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Parameters(float[] wide, float[] embedding, float[] dense) {}
