package io.psf.builtin.tensor;

import static io.psf.api.layout.Reduction.MIN;

import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorDeclaration;
import io.psf.api.layout.Reduce;
import io.psf.api.spi.StoredNode;
import java.util.List;

/**
 * Checks tensors before they are declared: the optimizers and initializers of users, which only the servers have.
 * Changes nothing.
 */
@PsFunction(value = "psf.init.check", at = Place.SERVER, readOnly = true)
public interface CheckTensors {
    /**
     * The tensors.
     *
     * @param tensors their declarations
     */
    record Request(List<TensorDeclaration> tensors) {}

    /**
     * The result.
     *
     * @param checked the number of declarations
     */
    record Response(@Reduce(MIN) int checked) {}

    /** True if the servers have to be asked. */
    static boolean isNeeded(TensorDeclaration tensor) {
        return !RuleCheck.isOfPsf(tensor.optimizer()) || !RuleCheck.isOfPsf(tensor.initializer());
    }

    /** Fails with {@code BAD_REQUEST} if this server's class path does not have a class, or an argument is invalid. */
    default Response handle(Request request, StoredNode node) {
        for (TensorDeclaration tensor : request.tensors()) {
            var unused = NamedRules.of(node, tensor);
        }
        return new Response(request.tensors().size());
    }
}
