package io.psf.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/** The client of a {@link RawPeer}. Starts the peer on the processor of psf's server. */
final class RawClient implements AutoCloseable {
    private final Process peer;
    private final RawSocket socket;
    private final ByteBuffer out = RawPeer.direct(RawPeer.HEADER + RawPeer.LARGEST);
    private final ByteBuffer in = RawPeer.direct(RawPeer.LARGEST);
    private final ExecutorService sender = Executors.newSingleThreadExecutor(work -> {
        Thread thread = new Thread(work, "raw-sender");
        thread.setDaemon(true);
        return thread;
    });

    RawClient(Placement placement) throws IOException {
        List<String> command = new ArrayList<>(placement.launcher("server"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(placement.flags());
        command.addAll(List.of(
                "-XX:MaxDirectMemorySize=256m",
                "-cp",
                System.getProperty("java.class.path"),
                RawPeer.class.getName(),
                placement.floorSpins() ? "spin" : "block"));
        peer = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader lines = new BufferedReader(new InputStreamReader(peer.getInputStream(), StandardCharsets.UTF_8));
        String line = lines.readLine();
        if (line == null || !line.startsWith("PORT ")) {
            throw new IOException("first line of the raw peer: " + line + " (expected: PORT n)");
        }
        int port = Integer.parseInt(line.substring(5));
        SocketChannel channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        socket = new RawSocket(channel, placement.floorSpins());
    }

    /** A request: the bytes to send, the bytes to receive, and whether the peer adds them. */
    record Exchange(int send, int receive, boolean add) {}

    /** Sends a request. Blocks until the answer is received. */
    void exchange(Exchange one) throws IOException {
        fill(one);
        socket.writeFully(out);
        socket.readFully(in.clear().limit(one.receive));
    }

    private void fill(Exchange one) {
        out.clear()
                .putInt(one.send)
                .putInt(one.receive)
                .putInt(one.add ? 1 : 0)
                .position(0)
                .limit(RawPeer.HEADER + one.send);
    }

    /** Makes exchanges with several in flight. */
    void stream(int times, int outstanding, Exchange one) throws IOException, InterruptedException {
        if (socket.spins()) {
            streamHere(times, outstanding, one);
        } else {
            streamWithSender(times, outstanding, one);
        }
    }

    /** Writes and reads in turn on this thread, without blocking. */
    private void streamHere(int times, int outstanding, Exchange one) throws IOException {
        int begun = 0;
        long received = 0;
        out.limit(0);
        while (received < (long) times * one.receive) {
            if (!out.hasRemaining() && begun < times && begun - received / one.receive < outstanding) {
                fill(one);
                begun++;
            }
            if (out.hasRemaining()) {
                socket.tryWrite(out);
            }
            in.clear().limit((int) Math.min(in.capacity(), (long) times * one.receive - received));
            received += socket.tryRead(in);
        }
    }

    /** Sends on a second thread and receives on this one. */
    private void streamWithSender(int times, int outstanding, Exchange one) throws IOException, InterruptedException {
        Semaphore credit = new Semaphore(outstanding);
        Future<?> sent = sender.submit(() -> {
            for (int i = 0; i < times; i++) {
                credit.acquire();
                fill(one);
                socket.writeFully(out);
            }
            return null;
        });
        long received = 0;
        for (int done = 0; done < times; ) {
            in.clear().limit((int) Math.min(in.capacity(), (long) times * one.receive - received));
            socket.read(in);
            received += in.position();
            int now = (int) (received / one.receive);
            credit.release(now - done);
            done = now;
        }
        try {
            sent.get();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
    }

    /** Makes small exchanges in batches. Each batch is one write; its answers are read in bulk. */
    void batches(int times, int batch, Exchange one) throws IOException {
        for (int done = 0; done < times; done += batch) {
            int n = Math.min(batch, times - done);
            out.clear();
            for (int i = 0; i < n; i++) {
                out.putInt(one.send).putInt(one.receive).putInt(one.add ? 1 : 0).position(out.position() + one.send);
            }
            socket.writeFully(out.flip());
            socket.readFully(in.clear().limit(one.receive * n));
        }
    }

    @Override
    public void close() throws IOException {
        sender.shutdownNow();
        socket.close();
        peer.destroy();
    }
}
