package io.psf.cli;

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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A transport whose connections pass a network that takes its time: bytes arrive later, and only so many of them in a
 * second.
 */
final class SlowNetwork implements Transport {
    private final Transport transport;
    private final long delayNanos;
    private final double bytesPerNano;
    private final List<ServerSocket> listening = new ArrayList<>();

    /**
     * Wraps a transport over TCP.
     *
     * @param delayMillis the time that each byte is on the way, in each direction
     * @param bytesPerSecond of a connection, in each direction
     */
    SlowNetwork(Transport transport, long delayMillis, double bytesPerSecond) {
        this.transport = transport;
        this.delayNanos = TimeUnit.MILLISECONDS.toNanos(delayMillis);
        this.bytesPerNano = bytesPerSecond / 1e9;
    }

    private record Sent(byte[] bytes, long due) {}

    @Override
    public Listener listen(String host, int port, Acceptor acceptor) {
        return transport.listen(host, port, acceptor);
    }

    @Override
    public Channel connect(String host, int port, Acceptor acceptor) {
        try {
            ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            synchronized (this) {
                listening.add(socket);
            }
            start(() -> accept(socket, port));
            return transport.connect(host, socket.getLocalPort(), acceptor);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void await(BooleanSupplier over, long deadline) throws InterruptedException {
        transport.await(over, deadline);
    }

    private void accept(ServerSocket socket, int port) {
        try (socket) {
            Socket from = socket.accept();
            Socket to = new Socket(InetAddress.getLoopbackAddress(), port);
            from.setTcpNoDelay(true);
            to.setTcpNoDelay(true);
            pass(from, to);
            pass(to, from);
        } catch (IOException e) {
            // The cluster has ended.
        }
    }

    private void pass(Socket from, Socket to) {
        BlockingQueue<Sent> underWay = new LinkedBlockingQueue<>();
        start(() -> {
            try (from) {
                byte[] buffer = new byte[1 << 14];
                InputStream in = from.getInputStream();
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    underWay.add(new Sent(java.util.Arrays.copyOf(buffer, n), System.nanoTime() + delayNanos));
                }
            } catch (IOException e) {
                // Closed.
            }
            underWay.add(new Sent(new byte[0], System.nanoTime() + delayNanos));
        });
        start(() -> {
            try (to) {
                OutputStream out = to.getOutputStream();
                long free = System.nanoTime();
                for (Sent sent = underWay.take(); sent.bytes.length > 0; sent = underWay.take()) {
                    free = Math.max(free, sent.due) + (long) (sent.bytes.length / bytesPerNano);
                    LockSupport.parkNanos(free - System.nanoTime());
                    out.write(sent.bytes);
                }
            } catch (IOException e) {
                // Closed.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "slow-network");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        transport.close();
        synchronized (this) {
            for (ServerSocket each : listening) {
                try {
                    each.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }
}
