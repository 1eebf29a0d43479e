package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorDeclaration;
import java.util.List;

/**
 * Registers tensors and places their slices, all of them or none. A declaration of a tensor that exists changes
 * nothing, but has to equal the first one.
 */
@PsFunction(value = "psf.tensor.declare", at = Place.SCHEDULER)
public interface Declare {
    /**
     * The tensors.
     *
     * @param tensors their declarations
     * @param epoch the epoch of the cluster's state that the caller knows
     */
    record Request(List<TensorDeclaration> tensors, long epoch) {}

    /**
     * The state that has the tensors.
     *
     * @param changes what the caller did not know
     */
    record Response(List<ClusterChange> changes) {}

    Response handle(Request request, Node scheduler);
}
