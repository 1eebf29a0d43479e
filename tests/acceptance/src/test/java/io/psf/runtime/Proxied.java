package io.psf.runtime;

import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A transport whose connections go over proxies. A subclass says what happens on the way. */
abstract class Proxied implements Transport {
    /** The connections that there are, for subclasses. */
    final List<Link> links = new CopyOnWriteArrayList<>();

    private final Transport inner;
    /** Proxies, by the port that they stand before. */
    private final Map<Integer, ServerSocket> proxies = new ConcurrentHashMap<>();

    private final AtomicInteger connections = new AtomicInteger();

    Proxied(Transport inner) {
        this.inner = inner;
    }

    /** The two sockets of a connection. */
    static final class Link {
        final Socket near;
        final Socket far;
        /** True if nothing comes through, not even the end. */
        volatile boolean silent;

        Link(Socket near, Socket far) {
            this.near = near;
            this.far = far;
        }
    }

    /** True if a connection goes to its server directly, given the number of those before it. */
    boolean isDirect(int before) {
        return false;
    }

    /** Changes the first n bytes on their way. */
    void change(byte[] bytes, int n) {}

    /** Returns the number of connections so far. */
    final int connections() {
        return connections.get();
    }

    @Override
    public final Listener listen(String host, int port, Acceptor acceptor) {
        return inner.listen(host, port, acceptor);
    }

    @Override
    public final Channel connect(String host, int port, Acceptor acceptor) {
        int to = isDirect(connections.getAndIncrement())
                ? port
                : proxies.computeIfAbsent(port, this::proxy).getLocalPort();
        return inner.connect(host, to, acceptor);
    }

    private ServerSocket proxy(int port) {
        try {
            ServerSocket proxy = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
            start(() -> {
                while (!proxy.isClosed()) {
                    Socket near = accept(proxy);
                    if (near != null) {
                        link(near, port);
                    }
                }
            });
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static @Nullable Socket accept(ServerSocket proxy) {
        try {
            return proxy.accept();
        } catch (IOException e) {
            return null;
        }
    }

    private void link(Socket near, int port) {
        try {
            Link link = new Link(near, new Socket(InetAddress.getLoopbackAddress(), port));
            links.add(link);
            start(() -> copy(link, link.near, link.far));
            start(() -> copy(link, link.far, link.near));
        } catch (IOException e) {
            close(near);
        }
    }

    private void copy(Link link, Socket from, Socket to) {
        byte[] some = new byte[64 << 10];
        try (InputStream in = from.getInputStream()) {
            to.setTcpNoDelay(true);
            OutputStream out = to.getOutputStream();
            for (int n = in.read(some); n >= 0; n = in.read(some)) {
                if (!link.silent) {
                    change(some, n);
                    out.write(some, 0, n);
                }
            }
        } catch (IOException e) {
            // One end has closed.
        }
        if (!link.silent) {
            close(to);
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public final void await(BooleanSupplier over, long deadline) throws InterruptedException {
        inner.await(over, deadline);
    }

    @Override
    public final void close() {
        inner.close();
        proxies.values().forEach(Proxied::close);
        links.forEach(link -> {
            close(link.near);
            close(link.far);
        });
    }

    private static void close(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
