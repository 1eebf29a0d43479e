package io.psf.netty;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.psf.runtime.spi.transport.FullHeap;
import java.util.function.BooleanSupplier;

/**
 * The threads of event loops. A loop that lacks the memory to handle a failure ends, and Netty at most logs that. No
 * connection of the transport works then, so the end is reported as a lack of memory of the thread.
 */
final class LoopThreads extends DefaultThreadFactory {
    private final BooleanSupplier isClosed;

    /**
     * Creates the factory of a transport.
     *
     * @param isClosed true if the loops may end
     */
    LoopThreads(BooleanSupplier isClosed) {
        super("psf-net", true);
        this.isClosed = isClosed;
    }

    @Override
    public Thread newThread(Runnable loop) {
        OutOfMemoryError ended = new OutOfMemoryError(); // there may be no memory for it later
        return super.newThread(() -> {
            try {
                loop.run();
            } finally {
                if (!isClosed.getAsBoolean()) {
                    FullHeap.report(ended);
                }
            }
        });
    }
}
