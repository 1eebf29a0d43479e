package io.psf.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.Receiver;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Failures that Netty hands to a promise, or logs, but passes to no handler. */
final class NettyChannelTest {
    private final List<Throwable> reported = new ArrayList<>();
    private final List<PsException> causes = new ArrayList<>();
    private final FramePool pool = new FramePool(1 << 20);
    private OutOfMemoryError lack = new OutOfMemoryError("Java heap space");
    private boolean fails;

    @BeforeEach
    void takeReports() {
        Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> reported.add(failure));
    }

    @AfterEach
    void giveReports() {
        Thread.currentThread().setUncaughtExceptionHandler(null);
    }

    private final class Receiving implements Receiver {
        @Override
        public void received(Channel channel, Frame frame) {
            frame.release();
        }

        @Override
        public void sent(Channel channel, long bytes) {
            if (fails) {
                throw lack;
            }
        }

        @Override
        public void closed(Channel channel, PsException cause) {
            causes.add(cause);
        }
    }

    private final EmbeddedChannel socket = new EmbeddedChannel();

    private NettyChannel connected(ChannelOutboundHandlerAdapter below) {
        socket.pipeline().addLast(below);
        NettyChannel channel = new NettyChannel(socket, made -> new Receiving(), pool, ConnectionLimits.usual(), false);
        socket.pipeline().addLast(channel);
        return channel;
    }

    @Test
    void aFrameThatIsNotWrittenForLackOfMemoryClosesItsConnection() {
        loseAFrame();
        assertThat(causes).singleElement().satisfies(cause -> assertThat(cause).hasMessageContaining("heap"));
        assertThat(reported).containsExactly(lack);
    }

    @Test
    void aLackOfDirectMemoryIsNoReasonToEndTheProcess() {
        lack = new OutOfMemoryError("Cannot reserve 64 bytes of direct buffer memory");
        loseAFrame();
        assertThat(reported).isEmpty();
    }

    @Test
    void aHandlerThatFailsKeepsNeitherTheConnectionNorTheFrame() {
        Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> {
            throw new IllegalStateException("handler of the user");
        });
        long before = pool.usedBytes();
        loseAFrame();
        assertThat(pool.usedBytes()).isEqualTo(before);
    }

    private void loseAFrame() {
        NettyChannel channel = connected(new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext context, Object message, ChannelPromise written) {
                throw lack;
            }
        });
        channel.offer(Frames.ping(pool));
        assertThat(socket.isOpen()).isFalse();
    }

    @Test
    void aReceiverWithoutMemoryClosesItsConnectionAfterAWrite() {
        NettyChannel channel = connected(new ChannelOutboundHandlerAdapter());
        channel.offer(Frames.ping(pool));
        assertThat(socket.isOpen()).isTrue();
        fails = true;
        channel.offer(Frames.ping(pool));
        assertThat(socket.isOpen()).isFalse();
        assertThat(reported).contains(lack);
    }
}
