package io.psf.api;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A caller that also declares tensors: a worker of a cluster, or the test kit's cluster. Thread-safe unless the
 * implementation says otherwise.
 */
public interface TensorCaller extends Caller {
    /**
     * Registers tensors with the cluster and places their slices, all of them or none. The same declaration again
     * returns the existing placement.
     *
     * @param tensors their declarations; one may be beside another of the list that comes before it
     * @return the layouts, in the order of the declarations
     * @throws PsException with {@code ALREADY_EXISTS}, naming both declarations, if a different declaration exists;
     *     with {@code UNKNOWN_TENSOR} if the tensor that one is beside has not been declared
     */
    List<TensorLayout> declare(List<TensorDeclaration> tensors);

    /** As {@link #declare(List)}, for one tensor. */
    default TensorLayout declare(TensorDeclaration tensor) {
        return declare(List.of(tensor)).get(0);
    }

    /**
     * Returns the placement of a tensor's slices. The layout may be cached; if it is not, this method blocks until the
     * cluster answers.
     *
     * @throws PsException with {@code UNKNOWN_TENSOR} if the tensor has not been declared
     */
    TensorLayout layout(TensorId tensor);

    /**
     * Returns the placements of those tensors that have been declared, in the order of the names. Blocks until the
     * cluster has answered, once for all of them.
     */
    default Map<TensorId, TensorLayout> layouts(List<TensorId> tensors) {
        Map<TensorId, TensorLayout> found = new LinkedHashMap<>();
        for (TensorId tensor : tensors) {
            try {
                found.put(tensor, layout(tensor));
            } catch (PsException e) {
                if (e.code() != PsException.Code.UNKNOWN_TENSOR) {
                    throw e;
                }
            }
        }
        return found;
    }

    /** Frees a tensor's name for another declaration. */
    void forget(TensorId tensor);
}
