package io.psf.runtime;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.layout.ByKey;
import java.util.concurrent.CompletionStage;

/** Calls {@link Gate} from the server that owns a key. */
@PsFunction(value = "acceptance.gate.by.server", at = Place.SERVER)
interface GateByServer {
    record Request(@ByKey long key, TensorId tensor, boolean open) {}

    record Response(int runs) {}

    default CompletionStage<Response> handle(Request request, Node server) {
        return GatePsf.stub(server.caller())
                .call(request.tensor(), request.open())
                .toCompletableFuture()
                .thenApply(answer -> new Response(answer.runs()));
    }
}
