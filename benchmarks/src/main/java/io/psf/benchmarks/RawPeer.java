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
 * framework. A request is two ints, how many bytes follow it and how many are wanted back.
 */
final class RawPeer {
    private RawPeer() {}

    public static void main(String[] args) throws IOException {
        try (ServerSocketChannel listening = ServerSocketChannel.open()) {
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            System.out.println("PORT " + listening.socket().getLocalPort());
            try (SocketChannel channel = listening.accept()) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                serve(channel);
            } catch (EOFException e) {
                System.out.println("END");
            }
        }
    }

    private static void serve(SocketChannel channel) throws IOException {
        ByteBuffer request = ByteBuffer.allocateDirect(8);
        ByteBuffer bytes = ByteBuffer.allocateDirect(64 << 20);
        while (true) {
            readFully(channel, request.clear());
            readFully(channel, bytes.clear().limit(request.getInt(0)));
            writeFully(channel, bytes.clear().limit(request.getInt(4)));
        }
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
