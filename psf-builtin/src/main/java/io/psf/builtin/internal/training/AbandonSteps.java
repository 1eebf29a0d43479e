package io.psf.builtin.internal.training;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.spi.Restartable;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.internal.partial.PartialGroups;
import io.psf.builtin.internal.ssp.SspGroups;
import io.psf.builtin.push.AtMost;
import java.util.concurrent.CompletionStage;

/**
 * Fails all calls that wait for calls of other workers, and all new calls of this kind, with {@code ROLLED_BACK}, until
 * {@link RestartSteps}. So every worker of a training loop learns that the workers go back to a checkpoint.
 */
@PsFunction(value = "psf.training.abandon", at = Place.SERVER)
public interface AbandonSteps {
    /**
     * The loop.
     *
     * @param model the model's name
     * @param reason why the workers go back
     */
    record Request(String model, String reason) {}

    /** The acknowledgement. */
    record Response() {}

    /** Fails the calls on this server and its shards. */
    default CompletionStage<Response> handle(Request request, StoredNode node) {
        PsException reason = new PsException(PsException.Code.ROLLED_BACK, AtMost.cut(request.reason()));
        TrainingLoops.of(node).abandon(request.model(), reason);
        SspGroups.of(node).abandon(reason);
        PartialGroups.of(node).abandon(reason);
        Epochs.of(node).abandon(reason);
        return node.onEveryShard(shard -> Restarts.of(shard).forEach((Restartable each) -> each.abandon(reason)))
                .thenApply(done -> new Response());
    }
}
