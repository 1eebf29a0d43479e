package io.psf.acceptance;

import io.psf.api.DeferredAnswer;
import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import java.util.concurrent.CompletionStage;

/** Never answers. Says what it waits for, nothing, or fails when it is asked. */
@PsFunction("acceptance.undecided")
interface Undecided {
    enum Reason {
        KNOWN,
        UNKNOWN,
        FAILING
    }

    record Request(TensorId tensor, Reason reason) {}

    record Response() {}

    default CompletionStage<Response> handle(Request slice, Shard shard) {
        return new DeferredAnswer<>(() -> switch (slice.reason()) {
            case KNOWN -> "votes: 1 (expected: 2)";
            case UNKNOWN -> "";
            case FAILING -> throw new IllegalStateException("no reason");
        });
    }
}
