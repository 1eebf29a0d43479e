package io.psf.testkit;

/**
 * The calls that a test makes in sequence, through the functions' stubs. Run once for each number of slices, and must
 * make the same calls each time.
 *
 * @param <T> the result of the calls: a response, or several in a list or record
 */
@FunctionalInterface
public interface Steps<T> {
    /** Makes the calls. */
    T run(TestCluster cluster);
}
