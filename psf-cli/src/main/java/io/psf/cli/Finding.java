package io.psf.cli;

/**
 * A cause that a job takes its time for.
 *
 * @param cause the kind
 * @param share the share of the workers' time, from 0 to 1; 1 for a node that is absent
 * @param says what was found, as sentences with the numbers
 * @param change the settings that would change it; empty if there is none
 */
record Finding(Cause cause, double share, String says, String change) {
    /** The kinds of causes. */
    enum Cause {
        /** A node is lost. */
        ABSENT_NODE,
        /** The others wait for one worker. */
        STRAGGLER,
        /** The workers wait for each other in turn. */
        EACH_OTHER,
        /** A checkpoint is written or read. */
        DISK,
        /** A heap is too small. */
        HEAP,
        /** A tensor of one slice: one lane has all of its work. */
        ONE_LANE,
        /** One slice of several has most of the work, and with it a few keys. */
        HOT_KEYS,
        /** One server has most of the work. */
        ONE_SERVER,
        /** All servers are busy. */
        ALL_SERVERS,
        /** Many bytes are on their way. */
        NETWORK_BYTES,
        /** Many small calls follow one after another. */
        NETWORK_CALLS,
        /** The workers wait for something outside of psf. */
        OUTSIDE,
        /** The workers do their own work. */
        NONE
    }
}
