package io.psf.runtime.spi.shard;

import io.psf.api.Node;
import io.psf.api.Optimizer;
import io.psf.api.Range;
import io.psf.api.TensorInfo;

/**
 * The slice of a tensor that a shard is made for.
 *
 * @param tensor the whole tensor
 * @param slice the slice's number, from 0
 * @param range the keys of the slice; of a growing table their positions
 * @param placement the placement of the shard; until one is chosen, all that the tensor names, separated by commas
 * @param optimizer applies pushes to the shard
 * @param fill supplies the first values of a growing table's rows
 */
public record Slice(TensorInfo tensor, int slice, Range range, String placement, Optimizer optimizer, Node.Fill fill) {
    /** Returns the slice at one placement. */
    public Slice at(String one) {
        return new Slice(tensor, slice, range, one, optimizer, fill);
    }
}
