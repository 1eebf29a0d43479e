package io.psf.benchmarks;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * The floor: a process that receives and sends bytes over one connection, with direct buffers and without a framework.
 * A request's header is three ints: the number of bytes that follow, the number of bytes to return, and whether the
 * bytes that follow are floats to add to an array as they arrive. Small requests that arrive together are read in one
 * read, and their answers are written in one write. With the argument {@code spin} the socket is polled; without it,
 * reads block.
 */
final class RawPeer {
    /** The maximum number of bytes of a request or an answer. */
    static final int LARGEST = 64 << 20;

    /** The number of bytes of a request's header. */
    static final int HEADER = 12;

    private static final int SMALL = 64 << 10;

    /** The number of floats that are added per tile; a tile stays in the level 1 cache. */
    private static final int TILE = 4096;

    private final RawSocket socket;
    private final ByteBuffer in = direct(SMALL).limit(0);
    private final ByteBuffer out = direct(SMALL);
    private final ByteBuffer large = direct(LARGEST);
    private final FloatBuffer floats = large.asFloatBuffer();
    private final float[] tile = new float[TILE];
    private final float[] sums = new float[LARGEST / Float.BYTES];

    private RawPeer(RawSocket socket) {
        this.socket = socket;
    }

    static ByteBuffer direct(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    public static void main(String[] args) throws IOException {
        try (ServerSocketChannel listening = ServerSocketChannel.open()) {
            listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            System.out.println("PORT " + listening.socket().getLocalPort());
            try (SocketChannel channel = listening.accept()) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                boolean spins = args.length > 0 && args[0].equals("spin");
                new RawPeer(new RawSocket(channel, spins)).serve();
            } catch (EOFException e) {
                System.out.println("END");
            }
        }
    }

    private void serve() throws IOException {
        while (true) {
            while (in.remaining() < HEADER) {
                flush();
                in.compact();
                socket.read(in);
                in.flip();
            }
            int send = in.getInt();
            int receive = in.getInt();
            boolean add = in.getInt() != 0;
            take(send, add);
            give(receive);
        }
    }

    private void take(int bytes, boolean add) throws IOException {
        int there = Math.min(bytes, in.remaining());
        if (add) {
            large.clear().put(0, in, in.position(), there);
        }
        in.position(in.position() + there);
        if (there < bytes) {
            flush();
        }
        large.clear().limit(bytes).position(there);
        int added = 0;
        while (true) {
            if (add) {
                int whole = large.position() / Float.BYTES;
                add(added, whole);
                added = whole;
            }
            if (!large.hasRemaining()) {
                return;
            }
            socket.read(large);
        }
    }

    private void add(int begin, int end) {
        for (int at = begin; at < end; at += TILE) {
            int n = Math.min(TILE, end - at);
            floats.get(at, tile, 0, n);
            for (int i = 0; i < n; i++) {
                sums[at + i] += tile[i];
            }
        }
    }

    private void give(int bytes) throws IOException {
        if (bytes > out.remaining()) {
            flush();
        }
        if (bytes > out.remaining()) {
            socket.writeFully(large.clear().limit(bytes));
        } else {
            out.position(out.position() + bytes);
        }
    }

    private void flush() throws IOException {
        socket.writeFully(out.flip());
        out.clear();
    }
}
