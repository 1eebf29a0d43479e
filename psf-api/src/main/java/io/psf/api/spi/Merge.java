package io.psf.api.spi;

/**
 * The answers of the slices on their way to one answer. Used by one thread at a time.
 *
 * @param <R> the response
 */
public interface Merge<R> {
    /**
     * Takes the answer of one part; the reader's memory is good until the method returns.
     *
     * @param part the part's number in the routing
     */
    void add(int part, TupleReader in);

    /** The answer, once every part has been added. */
    R result();
}
