package io.psf.examples.recommender;

/**
 * The parameters that one batch needs, or their gradients.
 *
 * @param wide [rows] float32, a weight for each key of the batch
 * @param embedding [rows, width] float32, a vector for each key of the batch
 * @param dense the parameters of the network
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Parameters(float[] wide, float[] embedding, float[] dense) {}
