package io.psf.testkit;

/**
 * Calls that a test makes one after the other, through the functions' own stubs. Run once for each number of slices, so
 * it makes the same calls each time.
 *
 * @param <T> what the calls came to: a response, or several in a list or record
 */
@FunctionalInterface
public interface Steps<T> {
    /** Makes the calls. */
    T run(TestCluster cluster);
}
