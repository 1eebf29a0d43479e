package io.psf.testkit;

import java.util.Random;

/**
 * Makes a request from a seeded source of random numbers.
 *
 * @param <Q> the request
 */
@FunctionalInterface
public interface RandomRequest<Q> {
    /** Draws a request. */
    Q request(Random random);
}
