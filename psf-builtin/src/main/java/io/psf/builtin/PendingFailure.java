package io.psf.builtin;

import io.psf.api.Pending;
import io.psf.api.PsException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A call that has failed before it was sent. */
record PendingFailure(PsException failure) implements Pending<Object> {
    @Override
    public Object await() {
        throw failure;
    }

    @Override
    public Object await(Duration limit) {
        throw failure;
    }

    @Override
    public boolean isDone() {
        return true;
    }

    @Override
    public boolean cancel() {
        return false;
    }

    @Override
    public CompletableFuture<Object> toCompletableFuture() {
        return CompletableFuture.failedFuture(failure);
    }
}
