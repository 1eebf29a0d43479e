package io.psf.examples.flink;

/**
 * An event with what the model says of it.
 *
 * @param score the predicted rating: the dot product of the two rows
 * @param rows [2, width] float32: the rows of user and item that the score was computed with
 */
public record Scored(Event event, float score, float[] rows) {}
