package io.psf.netty;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Receiver;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The frames that Netty's channel makes of a stream, without a socket. */
public final class NettyFrames {
    private NettyFrames() {}

    /**
     * Lets a stream come in pieces.
     *
     * @param frames gets each frame
     * @return why the rest was refused; null if it was not
     */
    public static @Nullable PsException decode(
            byte[] stream, int piece, boolean trusted, FramePool pool, Consumer<Frame> frames) {
        PsException[] told = new PsException[1];
        Receiver receiver = new Receiver() {
            @Override
            public void received(Channel channel, Frame frame) {
                frames.accept(frame);
            }

            @Override
            public void closed(Channel channel, PsException cause) {
                told[0] = cause.code() == PsException.Code.UNAVAILABLE ? null : cause;
            }
        };
        EmbeddedChannel socket = new EmbeddedChannel();
        NettyChannel channel = new NettyChannel(socket, unused -> receiver, pool, ConnectionLimits.usual(), false);
        socket.pipeline().addLast(new NettyChecksums(pool), channel);
        if (trusted) {
            channel.trust();
        }
        for (int at = 0; at < stream.length && socket.isActive(); at += piece) {
            socket.writeInbound(Unpooled.copiedBuffer(stream, at, Math.min(piece, stream.length - at)));
        }
        socket.finishAndReleaseAll();
        return told[0];
    }
}
