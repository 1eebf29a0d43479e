package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import java.util.List;

/** Frees a tensor's name for another declaration. */
@PsFunction(value = "psf.tensor.forget", at = Place.SCHEDULER)
public interface Forget {
    /**
     * The tensor.
     *
     * @param epoch the epoch of the cluster's state that the caller knows
     * @param lost true if slices of the tensor were lost, and no checkpoint has them
     */
    record Request(TensorId tensor, long epoch, boolean lost) {}

    /**
     * The state without the tensor.
     *
     * @param changes what the caller did not know
     */
    record Response(List<ClusterChange> changes) {}

    Response handle(Request request, Node scheduler);
}
