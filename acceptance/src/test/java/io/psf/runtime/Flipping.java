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
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A transport whose connections go over proxies that flip single bits, as a defective network card does. */
final class Flipping implements Transport {
    private final Transport inner;
    private final Random random;
    /** Proxies, by the port that they stand before. */
    private final Map<Integer, ServerSocket> proxies = new ConcurrentHashMap<>();

    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger flips = new AtomicInteger();
    /** The mean number of bytes between two flipped bits; 0 to flip none. */
    private volatile int every;

    private final AtomicReference<@Nullable Damage> next = new AtomicReference<>();

    /** One bit of the next frame of a kind, if the frame is the first of those that arrive together. */
    private record Damage(int kind, int at, int bit) {}

    /** Creates a transport whose proxies flip no bits yet. */
    Flipping(Transport inner, long seed) {
        this.inner = inner;
        this.random = new Random(seed);
    }

    /** Flips single bits from now on, in both directions of every connection: on average one in that many bytes. */
    void flipOneIn(int bytes) {
        every = bytes;
    }

    /** Flips one bit of the next frame of a kind that arrives alone, in either direction. */
    void flipNext(int kind, int at, int bit) {
        next.set(new Damage(kind, at, bit));
    }

    /** Returns the number of bits that have been flipped. */
    int flips() {
        return flips.get();
    }

    /** Returns the number of connections so far. */
    int connections() {
        return connections.get();
    }

    @Override
    public Listener listen(String host, int port, Acceptor acceptor) {
        return inner.listen(host, port, acceptor);
    }

    @Override
    public Channel connect(String host, int port, Acceptor acceptor) {
        return inner.connect(host, proxies.computeIfAbsent(port, this::proxy).getLocalPort(), acceptor);
    }

    private ServerSocket proxy(int port) {
        try {
            ServerSocket proxy = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
            start(() -> {
                while (true) {
                    Socket near = proxy.accept();
                    connections.incrementAndGet();
                    Socket far = new Socket(InetAddress.getLoopbackAddress(), port);
                    sockets.add(near);
                    sockets.add(far);
                    start(() -> copy(near, far));
                    start(() -> copy(far, near));
                }
            });
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void copy(Socket from, Socket to) throws IOException {
        byte[] some = new byte[64 << 10];
        try (from;
                to;
                InputStream in = from.getInputStream()) {
            to.setTcpNoDelay(true);
            OutputStream out = to.getOutputStream();
            for (int n = in.read(some); n >= 0; n = in.read(some)) {
                flipNext(some, n);
                flip(some, n);
                out.write(some, 0, n);
            }
        }
    }

    private void flipNext(byte[] bytes, int n) {
        Damage damage = next.get();
        if (damage != null && n > damage.at && (bytes[4] & 0xff) == damage.kind && next.compareAndSet(damage, null)) {
            bytes[damage.at] ^= (byte) (1 << damage.bit);
            flips.incrementAndGet();
        }
    }

    private void flip(byte[] bytes, int n) {
        int mean = every;
        if (mean == 0) {
            return;
        }
        synchronized (random) {
            for (int at = random.nextInt(2 * mean); at < n; at += 1 + random.nextInt(2 * mean)) {
                bytes[at] ^= (byte) (1 << random.nextInt(8));
                flips.incrementAndGet();
            }
        }
    }

    /** Work that ends with an exception once a socket is closed. */
    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        Thread.currentThread().interrupt(); // one end has closed: the thread ends
                    }
                },
                "proxy");
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
        proxies.values().forEach(Flipping::close);
        sockets.forEach(Flipping::close);
    }

    private static void close(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
