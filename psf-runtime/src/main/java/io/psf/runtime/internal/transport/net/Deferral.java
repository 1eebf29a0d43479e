package io.psf.runtime.internal.transport.net;

import io.psf.runtime.spi.transport.Frame;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decides whether small frames are deferred, to be written together with others. Not thread-safe, but for {@link
 * #answered}.
 */
final class Deferral {
    /** Deferred frames are written once they have this many bytes. */
    private static final int MOST_BYTES = 32 << 10;

    /** Or once there are this many of them: the peer processes them while this side makes the next ones. */
    private static final int MOST_FRAMES = 32;

    /** While at least this many requests are unanswered, small ones are deferred. */
    private static final int MANY = 4;

    private final Outbox outbox;
    /** The frames deferred since the last flush. */
    private int frames;

    /** The requests sent. With {@code answers} an estimate of whether many are in flight. */
    private int requests;

    /** The answers received. Written by the leader only. */
    private final AtomicInteger answers = new AtomicInteger();

    Deferral(Outbox outbox) {
        this.outbox = outbox;
    }

    /** True if a request of that length is small and many requests are unanswered. */
    boolean suits(int length) {
        return length <= Outbox.SMALL && requests - answers.get() >= MANY;
    }

    /** True if this frame and those deferred before are few and small enough to wait for more. Counts the frame. */
    boolean admits(int length) {
        return outbox.bytes() + length < MOST_BYTES && ++frames < MOST_FRAMES;
    }

    /** Counts the requests in a frame that is sent. */
    void sent(Frame frame) {
        Frame.Kind kind = frame.kind();
        requests += kind == Frame.Kind.REQUEST ? 1 : kind == Frame.Kind.CHAIN ? frame.requestCount() : 0;
    }

    /** Counts a request that is sent. */
    void sentRequest() {
        requests++;
    }

    /** Counts a received answer, on the leader. */
    void answered() {
        answers.lazySet(answers.get() + 1);
    }

    /** Records that no frame is deferred any more. */
    void flushed() {
        frames = 0;
    }
}
