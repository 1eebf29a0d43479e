package io.psf.acceptance;

import static io.psf.api.layout.Reduction.MAX;
import static io.psf.api.layout.Reduction.MIN;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import java.util.concurrent.CompletionStage;

/** Waits until {@link Bump} has been called so often on each shard, and holds nothing back meanwhile. */
@PsFunction(value = "acceptance.await.bumps", ordered = false)
interface AwaitBumps {
    record Request(TensorId tensor, int bumps) {}

    /**
     * What was so in the end.
     *
     * @param bumps how often it had been called
     * @param waits how often this function was run
     */
    record Response(@Reduce(MIN) int bumps, @Reduce(MAX) int waits) {}

    default CompletionStage<Response> handle(Request slice, Shard shard) {
        return shard.attachment(Bump.Bumps.class, Bump.Bumps::new).await(slice.bumps());
    }
}
