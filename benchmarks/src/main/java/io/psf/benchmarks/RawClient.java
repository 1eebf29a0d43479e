package io.psf.benchmarks;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/** The other end of {@link RawPeer}, which it starts. */
final class RawClient implements AutoCloseable {
    private static final int HEADER = 8;

    private final Process peer;
    private final SocketChannel channel;
    private final ByteBuffer out = ByteBuffer.allocateDirect(HEADER + RawPeer.LARGEST);
    private final ByteBuffer in = ByteBuffer.allocateDirect(RawPeer.LARGEST);
    private final ExecutorService sender = Executors.newSingleThreadExecutor(work -> {
        Thread thread = new Thread(work, "raw-sender");
        thread.setDaemon(true);
        return thread;
    });

    RawClient() throws IOException {
        peer = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:MaxDirectMemorySize=256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RawPeer.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader lines = new BufferedReader(new InputStreamReader(peer.getInputStream(), StandardCharsets.UTF_8));
        String line = lines.readLine();
        if (line == null || !line.startsWith("PORT ")) {
            throw new IOException("first line of the raw peer: " + line + " (expected: PORT n)");
        }
        int port = Integer.parseInt(line.substring(5));
        channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    /** Sends bytes and waits for bytes. */
    void exchange(int send, int receive) throws IOException {
        request(send, receive);
        RawPeer.readFully(channel, in.clear().limit(receive));
    }

    private void request(int send, int receive) throws IOException {
        out.clear().putInt(send).putInt(receive).position(0).limit(HEADER + send);
        RawPeer.writeFully(channel, out);
    }

    /** Keeps some exchanges under way: one thread sends, this one receives. */
    void stream(int times, int outstanding, int send, int receive) throws IOException, InterruptedException {
        Semaphore room = new Semaphore(outstanding);
        Future<?> sent = sender.submit(() -> {
            for (int i = 0; i < times; i++) {
                room.acquire();
                request(send, receive);
            }
            return null;
        });
        long received = 0;
        for (int done = 0; done < times; ) {
            in.clear().limit((int) Math.min(in.capacity(), (long) times * receive - received));
            int n = channel.read(in);
            if (n < 0) {
                throw new EOFException();
            }
            received += n;
            int now = (int) (received / receive);
            room.release(now - done);
            done = now;
        }
        try {
            sent.get();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
    }

    /** Small exchanges in batches, each written with one write; the answers are read in bulk. */
    void batches(int times, int batch, int send, int receive) throws IOException {
        for (int done = 0; done < times; done += batch) {
            int n = Math.min(batch, times - done);
            out.clear();
            for (int i = 0; i < n; i++) {
                out.putInt(send).putInt(receive).position(out.position() + send);
            }
            RawPeer.writeFully(channel, out.flip());
            RawPeer.readFully(channel, in.clear().limit(receive * n));
        }
    }

    @Override
    public void close() throws IOException {
        sender.shutdownNow();
        channel.close();
        peer.destroy();
    }
}
