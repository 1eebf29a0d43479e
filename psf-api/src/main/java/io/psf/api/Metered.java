package io.psf.api;

/**
 * Implemented by state that has numbers for metrics: an attachment of a shard or node. A node collects them for its
 * listeners and for {@code psf status}.
 */
public interface Metered {
    /**
     * Passes the numbers on. Runs on the lane of the shard or node, in its turn among the calls there. Must be quick,
     * and must change nothing. What it throws is logged.
     *
     * @param metrics takes the numbers; of a shard, they have the label {@code tensor}, and those of its slices are
     *     combined
     */
    void measure(Metrics metrics);
}
