package io.psf.api;

/**
 * A tensor of the cluster.
 *
 * @param declaration what it was declared as
 * @param layout where its slices are, and since which epoch of the cluster's state
 */
public record DeclaredTensor(TensorDeclaration declaration, TensorLayout layout) {
    /** Returns the tensor's name. */
    public TensorId id() {
        return declaration.info().id();
    }
}
