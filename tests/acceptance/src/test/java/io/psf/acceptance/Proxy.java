package io.psf.acceptance;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands between nodes and a port of 127.0.0.1, and cuts their connections when it is told to. */
final class Proxy implements AutoCloseable {
    private final ServerSocket listening;
    private final int target;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger answersToCut = new AtomicInteger();
    private volatile boolean refusing;

    Proxy(int target) throws IOException {
        this(InetAddress.getLoopbackAddress(), 0, target);
    }

    /** Creates a proxy that listens on an address and a port. */
    Proxy(InetAddress address, int port, int target) throws IOException {
        this.target = target;
        this.listening = new ServerSocket(port, 50, address);
        start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** How many connections there have been. */
    int connections() {
        return connections.get();
    }

    /** Cuts every connection, with whatever is on its way. */
    void cut() {
        sockets.removeIf(socket -> {
            close(socket);
            return true;
        });
    }

    /** Whether connections are cut at once. */
    void refuse(boolean refuse) {
        refusing = refuse;
        if (refuse) {
            cut();
        }
    }

    /** Cuts as many connections, each when the first byte of an answer comes, which is not passed on. */
    void cutAnswers(int times) {
        answersToCut.set(times);
    }

    private void accept() {
        try {
            while (true) {
                Socket from = listening.accept();
                connections.incrementAndGet();
                if (refusing) {
                    close(from);
                    continue;
                }
                Socket to = new Socket(InetAddress.getLoopbackAddress(), target);
                from.setTcpNoDelay(true);
                to.setTcpNoDelay(true);
                sockets.add(from);
                sockets.add(to);
                start(() -> pump(from, to, false));
                start(() -> pump(to, from, true));
            }
        } catch (IOException e) {
            cut(); // closed, or the target is gone
        }
    }

    private void pump(Socket from, Socket to, boolean answers) {
        byte[] buffer = new byte[1 << 16];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                if (answers && answersToCut.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    return;
                }
                out.write(buffer, 0, n);
            }
        } catch (IOException e) {
            // Cut: the other side is closed too.
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
    }
}
