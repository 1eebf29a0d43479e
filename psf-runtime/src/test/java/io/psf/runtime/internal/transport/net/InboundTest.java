package io.psf.runtime.internal.transport.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.PeerWatch;
import io.psf.runtime.spi.transport.Receiver;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class InboundTest {
    private static final int LONGS = 32 << 10;

    private final FramePool pool = new FramePool(1 << 20);

    /** A wire on which the same frame arrives again and again, faster than it is read. */
    private static final class Endless implements ByteWire {
        private final ByteBuffer frame;

        Endless(ByteBuffer frame) {
            this.frame = frame;
        }

        @Override
        public int read(ByteBuffer into) {
            int before = into.position();
            while (into.hasRemaining()) {
                if (!frame.hasRemaining()) {
                    frame.rewind();
                }
                into.put(frame.get());
            }
            return into.position() - before;
        }

        @Override
        public int write(ByteBuffer from) {
            return 0;
        }

        @Override
        public void close() {}

        @Override
        public SocketChannel socket() {
            throw new AssertionError("not reached");
        }
    }

    /** Counts the bytes of frames. */
    private static final class Counting implements Receiver {
        private long bytes;

        @Override
        public void received(Channel channel, Frame frame) {
            bytes += frame.length();
            frame.release();
        }

        @Override
        public void closed(Channel channel, PsException cause) {
            throw new AssertionError(cause);
        }
    }

    @Test
    void aChannelWithLongFramesLeavesTheOthersTheirTurnAfterAMegabyte() throws Exception {
        Counting receiver = new Counting();
        try (Reactor reactor = new Reactor("test", 0, TimeUnit.SECONDS.toNanos(1))) {
            reactor.start();
            WireChannel channel = new WireChannel(
                    reactor,
                    new Endless(Frames.done(pool, 5, new long[LONGS]).bytes()),
                    unused -> receiver,
                    pool,
                    new RemoteEnd("peer", new PeerWatch(ConnectionLimits.usual(), false, System.nanoTime())));
            channel.trust();
            CompletableFuture<Long> ofATurn = new CompletableFuture<>();
            reactor.execute(() -> {
                channel.selected(true, false);
                ofATurn.complete(receiver.bytes);
            });
            assertThat(ofATurn.get(20, TimeUnit.SECONDS)).isBetween(3L << 18, 5L << 18);
        }
    }
}
