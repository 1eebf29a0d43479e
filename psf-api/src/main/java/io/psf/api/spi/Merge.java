package io.psf.api.spi;

import io.psf.api.PsException;

/**
 * Merges the answers of the slices into one answer: every part is added, then every part is decoded, then the result is
 * computed. Only {@link #decode} and {@link #result} run the caller's code, which may throw any exception and may never
 * return. Used by one thread at a time.
 *
 * @param <R> the response
 */
public interface Merge<R> {
    /**
     * Adds the answer of one part. Runs none of the caller's code. Arrays that the caller passed to be filled are
     * written only here.
     *
     * @param part the part's number in the routing
     * @param in the answer, whose memory is valid until this method returns
     */
    void add(int part, TupleReader in);

    /** Creates the caller's records from one part's answer. Called once for each part. */
    default void decode(int part) {}

    /**
     * Returns the answer after every part has been decoded: the result of the caller's {@code merge} or {@code finish}
     * if there is one.
     */
    R result();

    /** Returns the failure of a call whose {@link #decode} or {@link #result} threw {@code thrown}. */
    static PsException failed(Throwable thrown) {
        if (thrown instanceof PsException known) {
            return known;
        } else if (thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError)) {
            return new PsException(PsException.Code.INTERNAL, "merging the answers: " + thrown, thrown);
        }
        return new PsException(
                PsException.Code.CALLER_FAILED,
                "the caller's own merge, finish or record constructor threw " + thrown,
                thrown);
    }

    /** Returns the failure of a call whose {@link #result} was null. */
    static PsException failedWithNull() {
        return new PsException(PsException.Code.CALLER_FAILED, "merge or finish: null (expected: a response)");
    }
}
