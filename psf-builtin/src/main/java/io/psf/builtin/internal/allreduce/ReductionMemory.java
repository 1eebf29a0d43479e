package io.psf.builtin.internal.allreduce;

import io.psf.api.Node;
import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.builtin.optimizer.Assign;
import io.psf.builtin.optimizer.TiledOptimizer;

/** Makes a shard the memory of an all-reduce. Its values are undefined between two of them. */
final class ReductionMemory implements Node.Fill {
    /** The optimizer of the shard, which has to have one: no push reaches it. */
    static final Optimizer UNUSED = new TiledOptimizer("psf.assign", new Assign());

    @Override
    public String memoryOf() {
        return ReduceValues.NAME;
    }

    @Override
    public void fill(Shard shard) {
        Reductions.attach(shard);
    }

    /**
     * Checks that a node has no tensor of the model by the name of the memory.
     *
     * @throws PsException with {@code BAD_REQUEST}
     */
    static void requireNoTensor(Node node, TensorId tensor) {
        if (!node.shards(tensor).isEmpty()) {
            throw notMemory(tensor);
        }
    }

    static PsException notMemory(TensorId tensor) {
        return Reductions.refused("tensor \"" + tensor + "\": a tensor of the model", "the memory of an all-reduce");
    }
}
