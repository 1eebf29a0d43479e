package io.psf.api.spi;

import io.psf.api.PsException;

/**
 * The answers of the slices on their way to one answer: every part is added, then every part is decoded, then the result
 * is made. Only {@link #decode} and {@link #result} run code of the caller's: they may throw anything, and may not
 * return. Used by one thread at a time.
 *
 * @param <R> the response
 */
public interface Merge<R> {
    /**
     * Takes the answer of one part. It runs no code of the caller's: the arrays to be filled are written here alone.
     *
     * @param part the part's number in the routing
     * @param in the answer; its memory is good until the method returns
     */
    void add(int part, TupleReader in);

    /** Makes records of the caller's of what was added of one part; called once for each part. */
    default void decode(int part) {}

    /** The answer, once every part has been decoded: what the caller's {@code merge} or {@code finish} makes of them. */
    R result();

    /** The failure of a call whose {@link #decode} or {@link #result} threw something. */
    static PsException failed(Throwable thrown) {
        if (thrown instanceof PsException known) {
            return known;
        } else if (thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError)) {
            return new PsException(PsException.Code.INTERNAL, "merging the answers: " + thrown, thrown);
        }
        return new PsException(
                PsException.Code.CALLER_FAILED, "the caller's own merge, finish or record threw " + thrown, thrown);
    }

    /** The failure of a call whose {@link #result} was null. */
    static PsException failedWithNull() {
        return new PsException(PsException.Code.CALLER_FAILED, "merge or finish: null (expected: a response)");
    }
}
