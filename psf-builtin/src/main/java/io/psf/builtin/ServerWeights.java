package io.psf.builtin;

import io.psf.api.ClusterCaller;
import io.psf.api.Pending;
import io.psf.api.TensorId;

/** Weights on the servers. */
record ServerWeights(ClusterCaller worker, TensorId tensor) implements Weights {
    @Override
    public Pending<?> push(float[] gradient) {
        return Tensors.push(worker, tensor, gradient);
    }

    @Override
    public Pending<?> pull(float[] into) {
        return Tensors.pull(worker, tensor, into);
    }

    @Override
    public void store() {
        // they are there
    }

    @Override
    public void endEpoch() {
        // the servers have all steps
    }

    @Override
    public void restore() {
        // each pull has what the servers have
    }
}
