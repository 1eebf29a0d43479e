package io.psf.testkit;

import java.util.Random;

/**
 * Creates a request from a seeded random number generator.
 *
 * @param <Q> the request
 */
@FunctionalInterface
public interface RandomRequest<Q> {
    /** Creates a request. */
    Q request(Random random);
}
