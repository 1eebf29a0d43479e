package io.psf.acceptance;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import io.psf.builtin.sparse.RemoveRowsPsf;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A wrong function: it says that it is read-only, and makes a change on the shards of its server or by a call. */
@PsFunction(value = "acceptance.meddle", at = Place.SERVER, readOnly = true)
interface Meddle {
    /** The changes. */
    enum Change {
        ATTACHMENT,
        SLOT,
        CALL,
        DROP
    }

    record Request(String tensor, Change change) {}

    record Response() {}

    final class Notes {}

    default CompletionStage<Response> handle(Request request, Node node) {
        TensorId tensor = TensorId.of(request.tensor());
        CompletionStage<?> change = switch (request.change()) {
            case ATTACHMENT -> node.onShards(tensor, shard -> shard.attachment(Notes.class, Notes::new));
            case SLOT -> node.onShards(tensor, shard -> shard.slot("notes", 1));
            case CALL ->
                RemoveRowsPsf.stub(node.caller()).call(tensor, LongArray.of(0)).toCompletableFuture();
            case DROP -> CompletableFuture.completedFuture(node.drop(tensor));
        };
        return change.thenApply(done -> new Response());
    }
}
