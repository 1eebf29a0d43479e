package io.psf.runtime.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import io.psf.api.PsException;
import io.psf.runtime.call.Channel;
import io.psf.runtime.call.Frame;
import io.psf.runtime.call.FramePool;
import io.psf.runtime.call.Frames;
import io.psf.runtime.call.Receiver;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection: puts what arrives together to frames, straight into a frame's own memory, and sends frames. A peer
 * that sends anything else, or that stops in the middle of a frame, is told so and cut off.
 */
final class NettyChannel extends ChannelInboundHandlerAdapter implements Channel {
    private static final int MOST_FROM_A_STRANGER = 64 << 10;

    /** Longer frames are asked for before their memory is taken. */
    private static final int SMALL = 16 << 10;

    private final io.netty.channel.Channel socket;
    private final Receiver receiver;
    private final FramePool pool;
    private final Duration partialFrameLimit;
    private final String peer;
    private final Object writable = new Object();
    private volatile boolean trusted;
    private volatile boolean reading = true;

    // Touched by the event loop alone.
    private final ByteBuffer header = ByteBuffer.allocate(Frame.HEADER).order(ByteOrder.LITTLE_ENDIAN);
    private @Nullable Frame frame;
    /** What came before the channel stopped reading, and may not be read yet. */
    private final Deque<ByteBuf> unread = new ArrayDeque<>();

    private @Nullable ScheduledFuture<?> patience;
    private int announced;
    private long progress;
    private boolean refused;
    private PsException cause;

    NettyChannel(io.netty.channel.Channel socket, Receiver receiver, FramePool pool, Duration partialFrameLimit) {
        this.socket = socket;
        this.receiver = receiver;
        this.pool = pool;
        this.partialFrameLimit = partialFrameLimit;
        this.peer = socket.remoteAddress() instanceof InetSocketAddress address
                ? address.getHostString() + ":" + address.getPort()
                : "a peer";
        this.cause = new PsException(PsException.Code.UNAVAILABLE, "connection closed");
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        unread.add((ByteBuf) message);
        readOn();
    }

    /** Reads what has come, up to a frame whose memory may not be taken yet. */
    private void readOn() {
        try {
            for (ByteBuf in = unread.peek(); in != null && !refused; in = unread.peek()) {
                while (in.isReadable() && !refused) {
                    if (!read(in)) {
                        return;
                    }
                }
                unread.remove().release();
            }
        } catch (PsException e) {
            refuse(e);
        }
        if (refused) {
            forgetUnread();
        }
    }

    private void forgetUnread() {
        for (ByteBuf in = unread.poll(); in != null; in = unread.poll()) {
            in.release();
        }
    }

    /** Reads a part; false if the memory of a frame is to be waited for. */
    private boolean read(ByteBuf in) {
        progress++;
        if (frame == null) {
            int n = Math.min(header.remaining(), in.readableBytes());
            in.readBytes(header.duplicate().limit(header.position() + n));
            header.position(header.position() + n);
            if (header.hasRemaining()) {
                watch();
                return true;
            }
            int length = Frame.length(header, 0, trusted ? Frame.MAX_LENGTH : MOST_FROM_A_STRANGER);
            if (length > SMALL && !receiver.admits(this, length)) {
                return false;
            }
            announced = length;
            frame = Frame.arriving(pool, length);
            frame.bytes().put(header.flip());
            header.clear();
        }
        if (!frame.bytes().hasRemaining() && frame.bytes().limit() < announced) {
            frame = frame.grown(pool, announced);
        }
        ByteBuffer bytes = frame.bytes();
        int n = Math.min(bytes.remaining(), in.readableBytes());
        if (n > 0) {
            in.readBytes(bytes.slice(bytes.position(), n));
            bytes.position(bytes.position() + n);
        }
        if (bytes.position() < announced) {
            watch();
        } else {
            Frame whole = frame;
            frame = null;
            bytes.flip();
            receiver.received(this, whole);
        }
        return true;
    }

    /** Sees to it that a half frame does not stay for ever. */
    private void watch() {
        if (patience == null) {
            long seen = progress;
            patience = socket.eventLoop()
                    .schedule(() -> lookAgain(seen), partialFrameLimit.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void lookAgain(long seen) {
        patience = null;
        boolean partial = frame != null || header.position() > 0;
        if (partial && progress == seen && socket.config().isAutoRead()) {
            int got = frame == null ? header.position() : frame.bytes().position();
            int of = frame == null ? Frame.HEADER : frame.length();
            refuse(new PsException(
                    PsException.Code.PROTOCOL,
                    "half a frame: " + got + " of " + of + " bytes (expected: the rest within "
                            + partialFrameLimit.toMillis() + " ms)"));
        } else if (partial) {
            watch();
        }
    }

    private void refuse(PsException why) {
        refused = true;
        cause = new PsException(why.code(), why.detail() + ", from " + peer);
        ByteBuffer bytes =
                Frames.failure(pool, 0, 0, 0, why.code(), why.detail()).bytes();
        socket.writeAndFlush(Unpooled.wrappedBuffer(bytes)).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        synchronized (writable) {
            writable.notifyAll();
        }
        if (frame != null) {
            frame.release();
            frame = null;
        }
        forgetUnread();
        receiver.closed(this, cause);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable thrown) {
        cause = thrown instanceof PsException known
                ? known
                : new PsException(PsException.Code.UNAVAILABLE, "connection: " + thrown, thrown);
        socket.close();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        synchronized (writable) {
            writable.notifyAll();
        }
    }

    @Override
    public void send(Frame frame, long deadline) {
        if (!socket.isWritable() && !socket.eventLoop().inEventLoop()) {
            synchronized (writable) {
                while (!socket.isWritable() && socket.isActive()) {
                    long millis = (deadline - System.nanoTime()) / 1_000_000;
                    if (millis <= 0) {
                        frame.release();
                        throw new PsException(PsException.Code.TIMED_OUT, peer + " takes no more frames");
                    }
                    try {
                        writable.wait(millis);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        frame.release();
                        throw new PsException(PsException.Code.CANCELLED, "interrupted while sending", e);
                    }
                }
            }
        }
        if (!socket.isActive()) {
            frame.release();
            throw new PsException(PsException.Code.UNAVAILABLE, "connection to " + peer + ": closed");
        }
        offer(frame);
    }

    @Override
    public void offer(Frame frame) {
        int length = frame.length();
        socket.writeAndFlush(Unpooled.wrappedBuffer(frame.bytes())).addListener(done -> {
            frame.release();
            receiver.sent(this, length);
        });
    }

    @Override
    public void setReading(boolean reading) {
        this.reading = reading;
        // On the event loop alone: Netty lets one that comes from elsewhere take effect later than the next one.
        try {
            socket.eventLoop().execute(this::applyReading);
        } catch (RejectedExecutionException e) {
            // The transport is closed.
        }
    }

    private void applyReading() {
        boolean reads = reading;
        socket.config().setAutoRead(reads);
        if (reads) {
            readOn();
        }
    }

    @Override
    public void trust() {
        trusted = true;
    }

    @Override
    public boolean isOpen() {
        return socket.isActive();
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public void close() {
        socket.close();
    }
}
