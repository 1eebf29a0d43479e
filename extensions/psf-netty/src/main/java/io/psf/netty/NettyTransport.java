package io.psf.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.TlsEngines;
import io.psf.runtime.spi.transport.TlsFailure;
import io.psf.runtime.spi.transport.Transport;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Channels over TCP with Netty. */
final class NettyTransport implements Transport {
    private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(8 << 20, 32 << 20);

    private final EventLoopGroup loops;
    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final FramePool pool;
    private final ConnectionLimits limits;
    private final boolean checks;
    private final @Nullable NettyTls tls;
    private volatile boolean closed;

    /**
     * Creates a transport with one event loop.
     *
     * @param pool for the memory of received frames
     * @param limits on the time and memory that peers can cost this side
     */
    NettyTransport(FramePool pool, ConnectionLimits limits) {
        this(pool, limits, false);
    }

    /**
     * As the other constructor.
     *
     * @param checks true if the frames of connections that this side makes have checksums
     */
    NettyTransport(FramePool pool, ConnectionLimits limits, boolean checks) {
        this(pool, limits, checks, null);
    }

    /**
     * As the other constructor.
     *
     * @param engines makes the engines of all connections; null for connections without TLS
     */
    NettyTransport(FramePool pool, ConnectionLimits limits, boolean checks, @Nullable TlsEngines engines) {
        this.tls = engines == null ? null : new NettyTls(engines, pool, limits);
        this.checks = checks;
        this.pool = pool;
        this.limits = limits;
        this.loops = new MultiThreadIoEventLoopGroup(1, new LoopThreads(() -> closed), NioIoHandler.newFactory());
    }

    @Override
    public Listener listen(String host, int port, Acceptor acceptor) {
        ChannelGroup taken = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
        ArrayDeque<NettyChannel> strangers = new ArrayDeque<>();
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, UNSENT)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channels.add(channel);
                        taken.add(channel);
                        NettyChannel stranger = new NettyChannel(channel, acceptor, pool, limits, true);
                        if (!hasPlace(strangers)) {
                            channel.close();
                            return;
                        }
                        strangers.add(stranger);
                        channel.pipeline().addLast(new NettyChecksums(pool), stranger);
                        if (tls != null) {
                            tls.accepting(channel.pipeline());
                        }
                    }
                })
                .bind(new InetSocketAddress(host, port))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new PsException(
                    PsException.Code.UNAVAILABLE,
                    "listening on " + Member.address(host, port) + ": " + reason(bound.cause()),
                    bound.cause());
        }
        io.netty.channel.Channel server = bound.channel();
        channels.add(server);
        int chosen = ((InetSocketAddress) server.localAddress()).getPort();
        return new Listener() {
            @Override
            public int port() {
                return chosen;
            }

            @Override
            public void close() {
                server.close().awaitUninterruptibly();
                taken.close().awaitUninterruptibly();
            }
        };
    }

    @Override
    public Channel connect(String host, int port, Acceptor acceptor) {
        AtomicReference<NettyChannel> made = new AtomicReference<>();
        ChannelFuture connected = new Bootstrap()
                .group(loops)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 5000)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, UNSENT)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channels.add(channel);
                        NettyChannel handler = new NettyChannel(channel, acceptor, pool, limits, false);
                        made.set(handler);
                        channel.pipeline().addLast(new NettyChecksums(pool), handler);
                        if (tls != null) {
                            tls.connecting(channel.pipeline(), host, port);
                        }
                    }
                })
                .connect(new InetSocketAddress(host, port))
                .awaitUninterruptibly();
        if (!connected.isSuccess()) {
            throw new PsException(
                    PsException.Code.UNAVAILABLE,
                    "connecting to " + Member.address(host, port) + ": " + reason(connected.cause()),
                    connected.cause());
        }
        io.netty.channel.Channel socket = connected.channel();
        if (socket.remoteAddress() != null && socket.remoteAddress().equals(socket.localAddress())) {
            socket.close();
            throw new PsException(
                    PsException.Code.UNAVAILABLE,
                    "connecting to " + Member.address(host, port)
                            + ": Connection refused (a socket of this process had that port by chance)");
        }
        if (tls != null) {
            try {
                Objects.requireNonNull(made.get()).certified(tls.awaitHandshake(socket));
            } catch (TlsFailure e) {
                throw new PsException(
                        PsException.Code.UNAVAILABLE,
                        "connecting to " + Member.address(host, port) + ": " + e.getMessage(),
                        e);
            }
        }
        // Not from the pipeline, which is empty if the peer has closed the connection already.
        NettyChannel channel = Objects.requireNonNull(made.get());
        if (checks) {
            channel.useChecksums(); // before any other frame
        }
        return channel;
    }

    /** True if one more stranger can be accepted, if need be in place of the oldest. Runs on the event loop. */
    private boolean hasPlace(ArrayDeque<NettyChannel> strangers) {
        if (strangers.size() < limits.strangers()) {
            return true;
        }
        strangers.removeIf(channel -> !channel.isOpen() || !channel.isStrange());
        if (strangers.size() < limits.strangers()) {
            return true;
        }
        for (NettyChannel oldest : strangers) {
            if (oldest.isIdleStranger()) {
                strangers.remove(oldest);
                oldest.close(new PsException(PsException.Code.UNAVAILABLE, "cut off for a newer connection"));
                return true;
            }
        }
        return false;
    }

    private static String reason(Throwable cause) {
        if (cause instanceof UnknownHostException) {
            return "unknown host";
        }
        String message = cause.getMessage();
        return message == null ? cause.toString() : message;
    }

    @Override
    public void close() {
        closed = true;
        channels.close().awaitUninterruptibly();
        if (tls != null) {
            tls.close();
        }
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }
}
