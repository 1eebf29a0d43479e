package io.psf.cli;

import io.psf.api.Member;
import io.psf.api.NodeHealth;
import io.psf.api.PsException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests for pages of a node over HTTP, such as probes: {@code GET} and {@code HEAD} alone. A request takes at most two seconds and 8 KB. Of more than 32 connections at a time the oldest one is
 * closed, so that clients which send nothing keep no other out.
 */
final class ProbeServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProbeServer.class);
    private static final int MOST_CONNECTIONS = 32;
    private static final int LONGEST_REQUEST = 8 << 10;
    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final Duration AFTER_FAILURE = Duration.ofMillis(100);

    private final ServerSocket socket;
    /** By path. */
    private final Map<String, Supplier<Page>> pages;
    /** The oldest one first. Guarded by itself. */
    private final Deque<Socket> connections = new ArrayDeque<>();

    /**
     * A page.
     *
     * @param holds false if the status is 503
     * @param type the content type
     */
    record Page(boolean holds, String type, String text) {
        static Page line(boolean holds, String line) {
            return new Page(holds, "text/plain; charset=utf-8", line + "\n");
        }
    }

    private ProbeServer(ServerSocket socket, Map<String, Supplier<Page>> pages) {
        this.socket = socket;
        this.pages = pages;
    }

    /** Returns the pages {@code /live} and {@code /ready}, each with a line that says why, on any thread. */
    static Map<String, Supplier<Page>> probes(Supplier<NodeHealth> health) {
        Map<String, Supplier<Page>> pages = new LinkedHashMap<>();
        pages.put("/live", () -> {
            NodeHealth now = health.get();
            return Page.line(now.isLive(), now.liveness());
        });
        pages.put("/ready", () -> {
            NodeHealth now = health.get();
            return Page.line(now.isReady(), now.readiness());
        });
        return pages;
    }

    /**
     * Listens, on daemon threads.
     *
     * @param setting the setting with the address, for messages
     * @param at a host and a port, 0 for a port that the system chooses
     * @param pages by path
     * @throws PsException with {@code UNAVAILABLE} if listening on the address fails
     */
    static ProbeServer start(String setting, InetSocketAddress at, Map<String, Supplier<Page>> pages) {
        try {
            ServerSocket socket = new ServerSocket();
            try {
                socket.bind(new InetSocketAddress(at.getHostString(), at.getPort()), 2 * MOST_CONNECTIONS);
            } catch (IOException | RuntimeException e) {
                socket.close();
                throw e;
            }
            ProbeServer server = new ProbeServer(socket, pages);
            daemon(server::acceptAll, "pages").start();
            LOG.info(
                    "answers {} at {}",
                    String.join(", ", pages.keySet()),
                    Member.address(at.getHostString(), socket.getLocalPort()));
            return server;
        } catch (IOException | UnresolvedAddressException e) {
            throw new PsException(
                    PsException.Code.UNAVAILABLE,
                    setting + ": listening on " + Member.address(at.getHostString(), at.getPort()) + ": "
                            + (e.getMessage() == null ? e.toString() : e.getMessage()),
                    e);
        }
    }

    /** The names have not the prefix of a node's own threads: if one of these fails, the node goes on. */
    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    private void acceptAll() {
        while (!socket.isClosed()) {
            Socket taken = null;
            try {
                taken = socket.accept();
                Socket peer = taken;
                closeTooMany(peer);
                daemon(() -> serve(peer), "probe").start();
            } catch (IOException | OutOfMemoryError e) { // no file handle or no thread: there may be one later
                closeQuietly(taken);
                pause();
            }
        }
    }

    private void closeTooMany(Socket taken) {
        Socket oldest = null;
        synchronized (connections) {
            connections.add(taken);
            if (connections.size() > MOST_CONNECTIONS) {
                oldest = connections.poll();
            }
        }
        closeQuietly(oldest);
    }

    private void serve(Socket peer) {
        try (peer) {
            answer(peer);
        } catch (IOException e) {
            LOG.debug("a probe was not answered: {}", e.toString());
        } finally {
            synchronized (connections) {
                connections.remove(peer);
            }
        }
    }

    private void answer(Socket peer) throws IOException {
        String[] words = requestLine(peer).split(" ", -1);
        String method = words[0];
        String path = words.length < 2 ? "" : words[1].replaceFirst("[?].*", "");
        if (!method.equals("GET") && !method.equals("HEAD")) {
            send(peer, "405 Method Not Allowed", Page.line(false, "method: not allowed (expected: GET or HEAD)"), true);
            return;
        }
        boolean hasBody = method.equals("GET");
        Supplier<Page> page = pages.get(path);
        if (page == null) {
            String paths = String.join(", ", pages.keySet());
            send(peer, "404 Not Found", Page.line(false, "path: unknown (expected: " + paths + ")"), hasBody);
        } else {
            Page now = page.get();
            send(peer, now.holds() ? "200 OK" : "503 Service Unavailable", now, hasBody);
        }
    }

    /** Reads a request, and returns its first line. */
    private static String requestLine(Socket peer) throws IOException {
        byte[] request = new byte[LONGEST_REQUEST];
        InputStream in = peer.getInputStream();
        long until = System.nanoTime() + LIMIT.toNanos();
        int length = 0;
        String text = "";
        while (!text.contains("\r\n\r\n") && !text.contains("\n\n")) { // unread bytes would reset the connection
            long left = Duration.ofNanos(until - System.nanoTime()).toMillis();
            if (left <= 0 || length == request.length) {
                throw new SocketTimeoutException("request: not whole after " + length + " bytes");
            }
            peer.setSoTimeout((int) left);
            int n = in.read(request, length, request.length - length);
            if (n < 0) {
                throw new IOException("request: ended after " + length + " bytes");
            }
            length += n;
            text = new String(request, 0, length, StandardCharsets.ISO_8859_1);
        }
        return text.lines().findFirst().orElse("");
    }

    private static void send(Socket peer, String status, Page page, boolean hasBody) throws IOException {
        byte[] body = page.text().getBytes(StandardCharsets.UTF_8);
        String head = "HTTP/1.1 " + status + "\r\nContent-Type: " + page.type() + "\r\nContent-Length: " + body.length
                + "\r\nConnection: close\r\n\r\n";
        OutputStream out = peer.getOutputStream();
        out.write(head.getBytes(StandardCharsets.ISO_8859_1));
        if (hasBody) {
            out.write(body);
        }
        out.flush();
    }

    private static void closeQuietly(@Nullable Socket peer) {
        try {
            if (peer != null) {
                peer.close();
            }
        } catch (IOException e) {
            LOG.debug("closing a probe's connection: {}", e.toString());
        }
    }

    private static void pause() {
        try {
            Thread.sleep(AFTER_FAILURE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the port. */
    int port() {
        return socket.getLocalPort();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("closing: {}", e.toString());
        }
    }
}
