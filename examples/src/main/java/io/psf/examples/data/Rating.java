package io.psf.examples.data;

/**
 * A rating of a movie.
 *
 * @param user the number of the user, from 1
 * @param movie the number of the movie, from 1, with gaps
 * @param stars 0.5 to 5, in steps of 0.5
 * @param timestamp seconds since 1970
 */
public record Rating(int user, int movie, float stars, long timestamp) {}
