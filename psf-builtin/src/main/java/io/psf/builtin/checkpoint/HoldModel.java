package io.psf.builtin.checkpoint;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import java.util.concurrent.CompletionStage;

/**
 * Takes the checkpoints of a model for a client that saves or loads it alone, until the client {@link ReleaseModel
 * releases} them. A client that works on renews its hold.
 */
@PsFunction(value = "psf.model.hold", at = Place.SERVER)
public interface HoldModel {
    /**
     * The hold.
     *
     * @param server any number; it selects the server, and is the same for all calls for models
     * @param model the model's name
     * @param work the work, as text, such as {@code save of step 3}
     * @param hold the number of the hold to renew; 0 for a new one
     */
    record Request(@ByKey long server, String model, String work, long hold) {}

    /**
     * The client's turn.
     *
     * @param hold the number of the hold, at least 1
     */
    record Response(long hold) {}

    /**
     * Answers once no other client holds the model. Fails with {@code BAD_REQUEST} if the cluster has workers, with
     * {@code UNAVAILABLE} if the hold to renew is over.
     */
    default CompletionStage<Response> handle(Request request, Node server) {
        ModelHolds holds = ModelHolds.of(server);
        return request.hold() == 0
                ? holds.take(request.model(), request.work(), server)
                : holds.renew(request.model(), request.hold(), server);
    }
}
