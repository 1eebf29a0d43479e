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
    /** Causes of a smaller share of the time are not worth a change. */
    static final double LEAST = 0.15;

    /** A finding whose cause says the settings. */
    Finding(Cause cause, double share, String says) {
        this(cause, share, says, cause.change);
    }

    /** The kinds of causes, with the settings that change them wherever they are found. */
    enum Cause {
        /** A node is lost. */
        ABSENT_NODE(""),
        /** The others wait for one worker. */
        STRAGGLER(""),
        /** The workers wait for each other in turn. */
        EACH_OTHER(""),
        /** A checkpoint is written or read. */
        DISK("save less often (ModelCheckpoints.everySteps or every), save only the rows that have changed"
                + " (ModelCheckpoints.incremental), or a faster place (PSF_CHECKPOINTS)"),
        /** A heap is too small. */
        HEAP(""),
        /** A tensor of one slice: one lane has all of its work. */
        ONE_LANE("more slices (TensorSpec.slices), which spread over servers and lanes"),
        /** One slice of several has most of the work, and with it a few keys. */
        HOT_KEYS(
                "EmbeddingCache keeps rows that come often on the workers; more slices (TensorSpec.slices) part the hot"
                        + " keys"),
        /** One server has most of the work. */
        ONE_SERVER("more slices (TensorSpec.slices), which spread over the servers; keys of other owners for functions"
                + " without a tensor"),
        /** All servers are busy. */
        ALL_SERVERS(
                "more servers (PSF_SERVERS), more lanes (PSF_LANES) with more slices (TensorSpec.slices), or fewer and"
                        + " larger calls"),
        /** A server has no memory for more requests. */
        MEMORY("a larger PSF_MEMORY, fewer calls under way at a time, or smaller ones"),
        /** Many bytes are on their way. */
        NETWORK_BYTES(
                "fewer bytes: TensorSpec.wire(FLOAT16), EmbeddingCache for rows that come again, pulls of the rows"
                        + " that a step needs; or a step that computes while the next pull is under way"),
        /** Many small calls follow one after another. */
        NETWORK_CALLS(
                "several calls under way (await later), calls that go together (Worker.chain, Tensors.pushPull), or"
                        + " larger batches"),
        /** The workers wait for something outside of psf. */
        OUTSIDE("look at what the program reads, at its locks, and at threads that sleep"),
        /** The workers do their own work. */
        NONE("more workers make it faster, or a faster step");

        private final String change;

        Cause(String change) {
            this.change = change;
        }
    }
}
