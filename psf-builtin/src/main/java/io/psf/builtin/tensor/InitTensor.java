package io.psf.builtin.tensor;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.DeclaredTensor;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.layout.Reduce;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.internal.named.BadRequest;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Creates the shards of tensors that have been declared; each server creates its own. An existing shard is left
 * unchanged.
 */
@PsFunction(value = "psf.init", at = Place.SERVER)
public interface InitTensor {
    /**
     * The tensors to create.
     *
     * @param tensors their names
     * @param epoch the epoch of the cluster's state in which they are declared
     */
    record Request(List<TensorId> tensors, long epoch) {}

    /**
     * The result.
     *
     * @param created the number of shards that were created
     */
    record Response(@Reduce(SUM) int created) {}

    /**
     * Creates the shards that this server owns. Fails with {@code BAD_REQUEST} if the server's class path does not have
     * the optimizer or the initializer of a tensor, or an argument is invalid.
     */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        return node.declared(List.copyOf(new LinkedHashSet<>(request.tensors())), request.epoch())
                .thenApply(tensors -> {
                    int created = 0;
                    for (DeclaredTensor tensor : tensors) {
                        created += create(tensor, node);
                    }
                    return new Response(created);
                });
    }

    private static int create(DeclaredTensor tensor, StoredNode node) {
        TensorLayout layout = tensor.layout();
        TensorDeclaration declaration = tensor.declaration();
        NamedRules rules = NamedRules.of(node, declaration);
        FirstValues first = BadRequest.ifIllegal(() -> FirstValues.of(tensor, rules.generator()));
        int created = 0;
        for (int slice = 0; slice < layout.slices(); slice++) {
            if (layout.server(slice) == node.rank()) {
                created += node.create(layout, slice, declaration.placement(), rules.optimizer(), first) ? 1 : 0;
            }
        }
        return created;
    }
}
