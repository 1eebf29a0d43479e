package io.psf.api;

/**
 * A tensor of the cluster.
 *
 * @param declaration what it was declared as
 * @param layout where its slices are; its version is the epoch in which the tensor was placed there
 */
public record DeclaredTensor(TensorDeclaration declaration, TensorLayout layout) {
    /** Returns the tensor's name. */
    public TensorId id() {
        return declaration.info().id();
    }
}
