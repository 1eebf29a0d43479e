package io.psf.builtin;

import io.psf.api.Pending;
import io.psf.builtin.sparse.PullBags;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/** A pull of bags, which fills an array of the caller once. */
final class BagPull implements Pending<PullBags.Response> {
    private final Pending<PullBags.Response> pulled;
    private final float[] into;
    private boolean filled;

    BagPull(Pending<PullBags.Response> pulled, float[] into) {
        this.pulled = pulled;
        this.into = into;
    }

    @Override
    public PullBags.Response await() {
        return fill(pulled.await());
    }

    @Override
    public PullBags.Response await(Duration limit) {
        return fill(pulled.await(limit));
    }

    /** Fills the array at the first answer: from then on it is the caller's. */
    private synchronized PullBags.Response fill(PullBags.Response answer) {
        if (!filled) {
            filled = true;
            int n = answer.rows().length();
            answer.rows().copyTo(into);
            Arrays.fill(into, n, into.length, 0); // no slice answers a call without keys
        }
        return answer;
    }

    @Override
    public boolean isDone() {
        return pulled.isDone();
    }

    @Override
    public boolean cancel() {
        return pulled.cancel();
    }

    @Override
    public CompletableFuture<PullBags.Response> toCompletableFuture() {
        CompletableFuture<PullBags.Response> future =
                pulled.toCompletableFuture().thenApply(this::fill);
        var unused = future.whenComplete((answer, failure) -> cancel()); // if it was completed before the answer
        return future;
    }
}
