package io.psf.api.spi;

import io.psf.api.Metric;
import io.psf.api.Waiting;
import java.util.List;

/**
 * What a node measures of itself.
 *
 * @param metrics the numbers of the node, its shards and the state of its functions
 * @param waiting the calls that wait, by function and tensor
 */
public record NodeNumbers(List<Metric> metrics, List<Waiting> waiting) {
    /** Of a node that has not been measured. */
    public static final NodeNumbers NONE = new NodeNumbers(List.of(), List.of());
}
