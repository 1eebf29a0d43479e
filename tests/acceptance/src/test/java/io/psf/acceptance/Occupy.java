package io.psf.acceptance;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import java.util.concurrent.CountDownLatch;

/** Occupies the lane of a shard. */
@PsFunction("acceptance.occupy")
interface Occupy {
    record Request(TensorId tensor) {}

    record Response() {}

    /** The work has begun, and may end. */
    CountDownLatch BEGUN = new CountDownLatch(1);

    CountDownLatch END = new CountDownLatch(1);

    default Response handle(Request slice, Shard shard) {
        BEGUN.countDown();
        try {
            END.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return new Response();
    }
}
