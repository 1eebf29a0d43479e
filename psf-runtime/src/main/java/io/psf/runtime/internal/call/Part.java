package io.psf.runtime.internal.call;

/**
 * One part of a call, which is sent to one peer, and again alone if need be. A view: {@link CallParts} has the parts of
 * a call in arrays and takes a part's number instead, so that a small call allocates no object for each of them.
 *
 * @param slice of the tensor; of a call to nodes the node's number among the called nodes
 * @param peer the node that has to answer it
 * @param attempt how many times it has been sent to that peer; 0 once it needs no answer
 */
record Part(int slice, Peer peer, int attempt, State state) {
    /** True if its answer is missing. */
    boolean isMissing() {
        return state == State.UNSENT || state == State.SENT;
    }

    /** How far a part is. */
    enum State {
        /** It has to be sent, for the first time or to another peer. */
        UNSENT,
        /** The peer has not answered it. It is sent again if the connection breaks. */
        SENT,
        /** Its answer is among the merged answers. */
        ANSWERED,
        /** It was answered with an error, or its peer is lost. */
        FAILED
    }
}
