package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import java.util.concurrent.CompletionStage;

/**
 * Blocks at the barrier. Answered once every worker has called it that was present when the first one did, and still
 * is. Fails with {@code ROLLED_BACK} if the workers have to load a checkpoint.
 */
@PsFunction(value = "psf.barrier", at = Place.SCHEDULER)
public interface Barrier {
    /**
     * The caller's part.
     *
     * @param rollback the last rollback that the worker knows
     */
    record Request(long rollback) {}

    record Response() {}

    CompletionStage<Response> handle(Request request, Node scheduler);
}
