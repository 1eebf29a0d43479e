package io.psf.benchmarks;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * The floor: a process that takes bytes and gives bytes over one blocking connection, with direct buffers and no
 * framework. A request is two ints, how many bytes follow it and how many are wanted back. Small requests that have
 * come together are read at once, and their answers written at once.
 */
final class RawPeer {
    /** The most bytes of a request or an answer. */
    static final int LARGEST = 64 << 20;

    private static final int SMALL = 64 << 10;

    private final SocketChannel channel;
    private final ByteBuffer in = ByteBuffer.allocateDirect(SMALL).limit(0);
    private final ByteBuffer out = ByteBuffer.allocateDirect(SMALL);
    private final ByteBuffer large = ByteBuffer.allocateDirect(LARGEST);

    private RawPeer(SocketChannel channel) {
        this.channel = channel;
    }

    public static void main(String[] args) throws IOException {
        try (ServerSocketChannel listening = ServerSocketChannel.open()) {
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            System.out.println("PORT " + listening.socket().getLocalPort());
            try (SocketChannel channel = listening.accept()) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                new RawPeer(channel).serve();
            } catch (EOFException e) {
                System.out.println("END");
            }
        }
    }

    private void serve() throws IOException {
        while (true) {
            while (in.remaining() < 8) {
                flush();
                in.compact();
                if (channel.read(in) < 0) {
                    return;
                }
                in.flip();
            }
            int send = in.getInt();
            int receive = in.getInt();
            take(send);
            give(receive);
        }
    }

    private void take(int bytes) throws IOException {
        int there = Math.min(bytes, in.remaining());
        in.position(in.position() + there);
        if (there < bytes) {
            flush();
            readFully(channel, large.clear().limit(bytes - there));
        }
    }

    private void give(int bytes) throws IOException {
        if (bytes > out.remaining()) {
            flush();
        }
        if (bytes > out.remaining()) {
            writeFully(channel, large.clear().limit(bytes));
        } else {
            out.position(out.position() + bytes);
        }
    }

    private void flush() throws IOException {
        writeFully(channel, out.flip());
        out.clear();
    }

    static void readFully(SocketChannel channel, ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            if (channel.read(into) < 0) {
                throw new EOFException();
            }
        }
    }

    static void writeFully(SocketChannel channel, ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            channel.write(from);
        }
    }
}
