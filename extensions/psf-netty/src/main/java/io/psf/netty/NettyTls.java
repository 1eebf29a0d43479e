package io.psf.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.psf.api.PsException;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.HandshakeTasks;
import io.psf.runtime.spi.transport.PeerLog;
import io.psf.runtime.spi.transport.TlsEngines;
import io.psf.runtime.spi.transport.TlsFailure;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** TLS for the connections of a transport. */
final class NettyTls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NettyTls.class);
    private static final PeerLog REFUSED = new PeerLog(LOG::warn);

    /** The name of the handler in a pipeline. */
    private static final String NAME = "tls";

    private static final int HANDSHAKE_SECONDS = 5;

    private final TlsEngines engines;
    private final FramePool pool;
    private final ConnectionLimits limits;
    private final HandshakeTasks tasks = new HandshakeTasks();

    NettyTls(TlsEngines engines, FramePool pool, ConnectionLimits limits) {
        this.engines = engines;
        this.pool = pool;
        this.limits = limits;
    }

    /** Adds TLS to the pipeline of a connection that this side makes. */
    void connecting(ChannelPipeline pipeline, String host, int port) {
        SslHandler handler = new SslHandler(engines.connecting(host, port), tasks.own());
        handler.setHandshakeTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS);
        pipeline.addFirst(NAME, handler);
    }

    /** Adds TLS to the pipeline of a connection that a peer has made. */
    void accepting(ChannelPipeline pipeline) {
        pipeline.addFirst(NAME, new FirstByte());
    }

    /** Waits until a connection that this side makes is secured. Returns the name of the peer. */
    String awaitHandshake(Channel channel) throws TlsFailure {
        SslHandler handler = channel.pipeline().get(SslHandler.class);
        if (handler == null) { // the pipeline is empty if the peer has closed the connection already
            throw new TlsFailure("the other end closed the connection in the handshake (expected: a node with "
                    + TlsEngines.SETTINGS + ")");
        }
        handler.handshakeFuture().awaitUninterruptibly();
        Throwable cause = handler.handshakeFuture().cause();
        if (cause != null) {
            channel.close();
            throw failure(cause);
        }
        return peer(handler);
    }

    /** Returns a failure in a sentence, if TLS has caused it; else the failure itself. */
    TlsFailure failure(Throwable thrown) {
        Throwable cause = thrown instanceof DecoderException && thrown.getCause() != null ? thrown.getCause() : thrown;
        return cause instanceof Exception failure ? engines.failure(failure) : new TlsFailure("failed", cause);
    }

    /** True for the event of a handshake in which both ends have proved their certificates. */
    static boolean isProved(Object event) {
        return event instanceof SslHandshakeCompletionEvent done && done.isSuccess();
    }

    /** Returns the name in the certificate of the peer of a channel that has TLS. */
    static String peer(ChannelHandlerContext context) throws TlsFailure {
        return peer(Objects.requireNonNull(context.pipeline().get(SslHandler.class)));
    }

    private static String peer(SslHandler handler) throws TlsFailure {
        return TlsEngines.peerName(handler.engine());
    }

    /** Begins TLS if the first byte begins a handshake, and refuses a frame. */
    private final class FirstByte extends ByteToMessageDecoder {
        private static final byte HANDSHAKE = 0x16;

        private boolean begun;

        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
            if (begun) {
                return; // these bytes are for the handler that comes
            }
            if (in.getByte(in.readerIndex()) == HANDSHAKE) {
                begun = true;
                context.channel().config().setAutoRead(false);
                begin(context);
            } else if (in.readableBytes() >= Frame.BEGINNING) {
                refuse(context, in);
            }
        }

        /** Makes the engine, which takes long, not on the event loop. */
        private void begin(ChannelHandlerContext context) {
            if (!(context.channel().remoteAddress() instanceof InetSocketAddress peer)) {
                return; // closed meanwhile
            }
            HandshakeTasks.Stranger handshake = tasks.stranger(peer.getAddress());
            handshake.execute(() -> {
                if (context.channel().isOpen()) {
                    SSLEngine engine = engines.accepting();
                    context.executor().execute(() -> secure(context, engine, handshake));
                }
            });
        }

        private void secure(ChannelHandlerContext context, SSLEngine engine, HandshakeTasks.Stranger handshake) {
            if (context.isRemoved()) {
                return; // closed meanwhile
            }
            SslHandler handler = new SslHandler(engine, handshake);
            handler.setHandshakeTimeout(limits.hello().toMillis(), TimeUnit.MILLISECONDS);
            String peer = String.valueOf(context.channel().remoteAddress());
            handler.handshakeFuture().addListener(done -> {
                if (done.isSuccess()) {
                    handshake.completed();
                } else if (context.channel().isOpen()) {
                    REFUSED.line("connection from " + peer + ": "
                            + failure(done.cause()).getMessage());
                }
            });
            context.pipeline().replace(this, NAME, handler);
            context.channel().config().setAutoRead(true);
        }

        private void refuse(ChannelHandlerContext context, ByteBuf in) {
            ByteBuffer bytes = ByteBuffer.allocate(Frame.BEGINNING).order(ByteOrder.LITTLE_ENDIAN);
            in.getBytes(in.readerIndex(), bytes);
            in.skipBytes(in.readableBytes());
            try {
                Frame.requireKind(bytes, 0, Frame.BEGINNING);
            } catch (PsException e) {
                context.close();
                return;
            }
            String why = "this node requires TLS (expected: " + TlsEngines.SETTINGS + " at the other end, too)";
            REFUSED.line("connection from " + context.channel().remoteAddress() + ": without TLS");
            ByteBuffer refusal = Frames.failure(pool, 0, 0, 0, PsException.Code.PROTOCOL, why)
                    .bytes();
            context.writeAndFlush(Unpooled.wrappedBuffer(refusal)).addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public void close() {
        tasks.close();
    }
}
