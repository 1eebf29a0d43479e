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

/** The other end of {@link RawPeer}, which it starts. */
final class RawClient implements AutoCloseable {
    private final Process peer;
    private final SocketChannel channel;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(64 << 20);

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
        bytes.clear().putInt(send).putInt(receive).position(0).limit(8 + send);
        RawPeer.writeFully(channel, bytes);
        RawPeer.readFully(channel, bytes.clear().limit(receive));
    }

    /** Sends requests of a few bytes, so many at a time, each with a write of its own, and waits for their answers. */
    void pipeline(int requests, int outstanding, int send, int receive) throws IOException {
        for (int done = 0; done < requests; done += outstanding) {
            for (int i = 0; i < outstanding; i++) {
                bytes.clear().putInt(send).putInt(receive).position(0).limit(8 + send);
                RawPeer.writeFully(channel, bytes);
            }
            RawPeer.readFully(channel, bytes.clear().limit(receive * outstanding));
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
        peer.destroy();
    }
}
