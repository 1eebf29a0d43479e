package io.psf.runtime;

import io.psf.runtime.transport.Acceptor;
import io.psf.runtime.transport.Channel;
import io.psf.runtime.transport.Transport;
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

/** A transport whose connections go over a proxy, which can fall silent as a firewall does, without closing anything. */
final class Swallowing implements Transport {
    private final Transport inner;
    /** Proxies, by the port that they stand before. */
    private final Map<Integer, ServerSocket> proxies = new ConcurrentHashMap<>();

    private final List<Link> links = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();

    /** The two sockets of a connection. */
    private static final class Link {
        final Socket near;
        final Socket far;
        volatile boolean silent;

        Link(Socket near, Socket far) {
            this.near = near;
            this.far = far;
        }

        void copy(Socket from, Socket to) {
            byte[] some = new byte[64 << 10];
            try (InputStream in = from.getInputStream()) {
                OutputStream out = to.getOutputStream();
                for (int n = in.read(some); n >= 0; n = in.read(some)) {
                    if (!silent) {
                        out.write(some, 0, n);
                    }
                }
            } catch (IOException e) {
                if (!silent) {
                    close(to);
                }
                return;
            }
            if (!silent) {
                close(to);
            }
        }
    }

    Swallowing(Transport inner) {
        this.inner = inner;
    }

    private static void close(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** From now on nothing comes through any connection that there is. */
    void fallSilent() {
        links.forEach(link -> link.silent = true);
    }

    /** Sends to every server what is no frame. */
    void garble() {
        for (Link link : links) {
            try {
                link.far.getOutputStream().write(new byte[100]);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        links.clear();
    }

    /** How many connections there have been. */
    int connections() {
        return connections.get();
    }

    @Override
    public Listener listen(String host, int port, Acceptor acceptor) {
        return inner.listen(host, port, acceptor);
    }

    @Override
    public Channel connect(String host, int port, Acceptor acceptor) {
        if (connections.getAndIncrement() == 0) { // the scheduler's
            return inner.connect(host, port, acceptor);
        }
        return inner.connect(host, proxies.computeIfAbsent(port, this::proxy).getLocalPort(), acceptor);
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
            start(() -> link.copy(link.near, link.far));
            start(() -> link.copy(link.far, link.near));
        } catch (IOException e) {
            close(near);
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void await(BooleanSupplier over, long deadline) throws InterruptedException {
        inner.await(over, deadline);
    }

    @Override
    public void close() {
        inner.close();
        proxies.values().forEach(Swallowing::close);
        links.forEach(link -> {
            close(link.near);
            close(link.far);
        });
    }
}
