package io.psf.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.psf.runtime.spi.transport.Checksum;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** Adds a checksum to each frame that is written after {@link #BEGIN}. Runs on the event loop. */
final class NettyChecksums extends ChannelOutboundHandlerAdapter {
    /** Written in place of a frame: the later frames have checksums. */
    static final Object BEGIN = new Object();

    private final FramePool pool;
    /** Null before {@link #BEGIN}. */
    private @Nullable Checksum checksum;

    NettyChecksums(FramePool pool) {
        this.pool = pool;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise written) {
        if (message != BEGIN) {
            context.write(checksum == null ? message : checked(checksum, (ByteBuf) message), written);
        } else if (checksum == null) {
            checksum = new Checksum();
            context.write(Unpooled.wrappedBuffer(Frames.check(pool).bytes()), written);
        } else {
            written.setSuccess();
        }
    }

    private static ByteBuf checked(Checksum checksum, ByteBuf frame) {
        ByteBuffer prefix = ByteBuffer.allocate(Checksum.PREFIX).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer bytes = frame.nioBuffer();
        checksum.write(prefix, 0, bytes, 0, bytes.remaining());
        return Unpooled.wrappedBuffer(Unpooled.wrappedBuffer(prefix), frame);
    }
}
