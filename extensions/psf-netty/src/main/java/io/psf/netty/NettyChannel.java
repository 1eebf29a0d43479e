package io.psf.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.DamagedFrameException;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.FullHeap;
import io.psf.runtime.spi.transport.PeerLog;
import io.psf.runtime.spi.transport.PeerWatch;
import io.psf.runtime.spi.transport.Receiver;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection. A peer that sends anything but frames, or that stops in the middle of a frame, gets an error as an
 * answer, and the connection is closed.
 */
final class NettyChannel extends ChannelInboundHandlerAdapter implements Channel {
    private static final Logger LOG = LoggerFactory.getLogger(NettyChannel.class);
    private static final PeerLog SILENT = new PeerLog(LOG::warn);
    private static final PeerLog DAMAGED = new PeerLog(LOG::warn);

    /** The number of checks after which a connection is closed whose peer was refused and does not read the refusal. */
    private static final int CHECKS_REFUSED = 8;

    private final io.netty.channel.Channel socket;
    private final Receiver receiver;
    private final FramePool pool;
    private final PeerWatch watch;
    /** The peer's address, for messages; known once the connection exists. */
    private volatile String peer;

    private final Object writable = new Object();
    /** Bytes that were offered. {@code sent} counts the offered bytes that the network has taken. */
    private final AtomicLong offered = new AtomicLong();

    private final AtomicLong sent = new AtomicLong();
    private volatile boolean reading = true;

    // Accessed by the event loop only.
    private final NettyInput input;
    /** Bytes that arrived before the channel stopped reading, and may not be read yet. */
    private final Deque<ByteBuf> unread = new ArrayDeque<>();

    private @Nullable ScheduledFuture<?> checks;
    private long checkNanos;
    private long clock;
    private long checkedAt = System.nanoTime();
    private boolean refused;
    private int checksRefused;
    private volatile PsException cause;
    /** The name in the peer's certificate, once TLS has proved it. */
    private volatile @Nullable String certificate;

    /**
     * Creates a connection.
     *
     * @param taken true if this end has accepted the connection: the peer is a stranger until it is trusted
     */
    NettyChannel(
            io.netty.channel.Channel socket,
            Acceptor acceptor,
            FramePool pool,
            ConnectionLimits limits,
            boolean taken) {
        this.socket = socket;
        this.pool = pool;
        this.watch = new PeerWatch(limits, taken, 0);
        this.checkNanos = PeerWatch.interval(limits);
        this.peer = name(socket);
        this.cause = new PsException(PsException.Code.UNAVAILABLE, "connection closed");
        this.input = new NettyInput(pool, this::admits);
        this.receiver = acceptor.accept(this);
    }

    private static String name(io.netty.channel.Channel socket) {
        return socket.remoteAddress() instanceof InetSocketAddress address
                ? Member.address(address.getHostString(), address.getPort())
                : "a peer";
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        unread.add((ByteBuf) message);
        readOn();
    }

    /** Reads what has arrived, up to a frame whose memory may not be allocated yet. */
    private void readOn() {
        try {
            for (ByteBuf in = unread.peek(); in != null && !refused; in = unread.peek()) {
                while (in.isReadable() && !refused) {
                    Frame whole = reading ? input.read(in) : null;
                    if (whole != null) {
                        received(whole);
                    } else if (!reading || input.isWaiting()) {
                        return; // the rest is read when reading continues
                    }
                }
                unread.remove().release();
            }
        } catch (PsException e) {
            refuse(e);
        } catch (DamagedFrameException e) {
            refused = true; // nothing more is read
            DAMAGED.line("connection to " + peer + ": " + e.getMessage());
            close(new PsException(PsException.Code.UNAVAILABLE, String.valueOf(e.getMessage()), e));
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

    private boolean admits(int length) {
        return receiver.admits(this, length);
    }

    private void received(Frame whole) {
        if (whole.kind() == Frame.Kind.PING) {
            whole.release(); // only its arrival matters
            return;
        }
        if (whole.kind() == Frame.Kind.CHECK) {
            whole.release();
            input.check();
            useChecksums();
            return;
        }
        if (watch.isStrange()) {
            watch.asked();
        }
        receiver.received(this, whole);
    }

    /** True if the connection can be closed without loss: a stranger without a request that is being answered. */
    boolean isIdleStranger() {
        return watch.isIdleStranger();
    }

    boolean isStrange() {
        return watch.isStrange();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        peer = name(socket);
        checkEvery(checkNanos);
    }

    private void checkEvery(long nanos) {
        if (checks != null) {
            checks.cancel(false);
        }
        checkNanos = nanos;
        checks = socket.eventLoop().scheduleWithFixedDelay(guarded(this::check), nanos, nanos, TimeUnit.NANOSECONDS);
    }

    /** Returns a task for the event loop, which would at most log what the task throws. */
    private Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (Throwable e) {
                failed(e);
            }
        };
    }

    /** Closes the connection if the peer keeps this side waiting for too long. Runs on the event loop at intervals. */
    private void check() {
        long now = System.nanoTime();
        clock += Math.min(now - checkedAt, 2 * checkNanos); // a longer time means that this process was suspended
        checkedAt = now;
        if (refused) {
            if (watch.isStrange() || ++checksRefused > CHECKS_REFUSED) {
                socket.close(); // the peer does not read the refusal
            }
            return;
        }
        long unsent = offered.get() - sent.get();
        watch.note(clock, input.received(), sent.get(), socket.config().isAutoRead(), unsent == 0);
        PsException why = watch.overdue(input.partial(), input.expected());
        if (why != null && why.code() == PsException.Code.UNAVAILABLE) {
            SILENT.line("connection to " + peer + ": " + why.detail());
            close(why);
        } else if (why != null) {
            refuse(why);
        } else if (watch.isSignDue() && unsent == 0) {
            offer(Frames.ping(pool));
        }
    }

    /** Closes the connection and reports that cause to the receiver. */
    void close(PsException why) {
        if (socket.eventLoop().inEventLoop()) {
            cause = why;
            socket.close();
        } else {
            socket.eventLoop().execute(guarded(() -> close(why)));
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
        if (checks != null) {
            checks.cancel(false);
        }
        input.release();
        forgetUnread();
        receiver.closed(this, cause);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
        if (NettyTls.isProved(event)) {
            certified(NettyTls.peer(context));
        }
        super.userEventTriggered(context, event);
    }

    /** Sets the name in the peer's certificate. */
    void certified(String name) {
        certificate = name;
    }

    @Override
    public @Nullable String certificate() {
        return certificate;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable thrown) {
        failed(thrown);
    }

    /** Closes the connection, on which a frame may be lost: the peer sends its calls again over the next one. */
    private void failed(Throwable thrown) {
        try {
            FullHeap.report(thrown);
            cause = thrown instanceof PsException known
                    ? known
                    : new PsException(PsException.Code.UNAVAILABLE, "connection: " + thrown, thrown);
        } finally {
            socket.close();
        }
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
            throw new PsException(PsException.Code.UNAVAILABLE, "connection to " + peer + ": closed", cause);
        }
        offer(frame);
    }

    @Override
    public void offer(Frame frame) {
        int length = frame.length();
        long unsent = offered.addAndGet(length) - sent.get();
        socket.writeAndFlush(Unpooled.wrappedBuffer(frame.bytes()))
                .addListener(done -> written(frame, length, done.cause()));
        if (watch.isStrange()) {
            PsException why = watch.answered(unsent);
            if (why != null) {
                close(why);
            }
        }
    }

    private void written(Frame frame, int length, @Nullable Throwable failure) {
        try {
            sent.addAndGet(length);
            frame.release();
            if (failure != null && socket.isOpen()) { // for lack of memory, for example: the socket itself has no error
                failed(failure);
            }
            receiver.sent(this, length);
        } catch (Throwable e) { // Netty would at most log it
            failed(e);
        }
    }

    @Override
    public void setReading(boolean reading) {
        this.reading = reading;
        // On the event loop only: Netty may apply a change by another thread after a later change.
        try {
            socket.eventLoop().execute(guarded(this::applyReading));
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
        input.trust();
        watch.trust();
    }

    @Override
    public void useChecksums() {
        socket.writeAndFlush(NettyChecksums.BEGIN);
    }

    @Override
    public void keepAlive(long limitNanos) {
        watch.keepAlive(limitNanos);
        long nanos = PeerWatch.interval(limitNanos);
        socket.eventLoop().execute(guarded(() -> {
            if (nanos < checkNanos && socket.isActive()) {
                checkEvery(nanos);
            }
        }));
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
