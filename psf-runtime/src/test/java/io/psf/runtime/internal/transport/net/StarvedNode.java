package io.psf.runtime.internal.transport.net;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.Receiver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** A node that lacks what the system gives, in a process of its own; prints what it has seen. */
final class StarvedNode {
    private static final int REQUEST = 0xB1;
    private static final FramePool POOL = new FramePool(0);

    private final CountDownLatch largeCame = new CountDownLatch(1);
    private final AtomicReference<PsException> closed = new AtomicReference<>();
    private final int port;

    private StarvedNode(NetTransport transport) {
        Receiver echo = new Receiver() {
            @Override
            public void received(Channel channel, Frame frame) {
                channel.trust();
                if (frame.length() > Frame.HEADER) {
                    largeCame.countDown();
                } else {
                    channel.offer(Frames.failure(POOL, 0, 0, frame.call(), PsException.Code.BAD_REQUEST, ""));
                }
                frame.release();
            }

            @Override
            public void closed(Channel channel, PsException cause) {
                closed.set(cause);
            }
        };
        port = transport.listen("127.0.0.1", 0, each -> echo).port();
    }

    /**
     * Starves.
     *
     * @param args of what: {@code files} or {@code memory}
     */
    public static void main(String[] args) throws Exception {
        try (NetTransport transport = new NetTransport(
                POOL,
                NetTransport.Sharing.NEVER,
                Duration.ZERO,
                ConnectionLimits.usual().withHello(Duration.ofSeconds(2)))) {
            StarvedNode node = new StarvedNode(transport);
            if (args[0].equals("files")) {
                node.starveOfFiles();
            } else {
                node.starveOfMemory();
            }
        }
        System.out.println("done");
    }

    private static byte[] header(int length) {
        byte[] header = new byte[Frame.HEADER];
        ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).putInt(length).put((byte) REQUEST);
        return header;
    }

    private static void roundTrip(Socket socket) throws IOException {
        socket.getOutputStream().write(header(Frame.HEADER));
        byte[] answer = socket.getInputStream().readNBytes(Frame.HEADER);
        int rest = ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN).getInt() - Frame.HEADER;
        socket.getInputStream().readNBytes(rest);
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(120_000);
        return socket;
    }

    private static void say(String what, Socket socket) throws IOException {
        long begin = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            roundTrip(socket);
        }
        System.out.println(what + "=" + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
    }

    private void starveOfFiles() throws IOException {
        List<Socket> many = new ArrayList<>();
        try (Socket known = connect()) {
            say("before", known);
            try {
                while (many.size() < 10_000) {
                    many.add(connect());
                }
            } catch (SocketException e) {
                System.out.println("files=none");
            }
            say("starved", known);
        } finally {
            for (Socket socket : many) {
                socket.close();
            }
        }
        try (Socket fresh = connect()) {
            say("after", fresh);
        }
    }

    private void starveOfMemory() throws Exception {
        List<ByteBuffer> hold = new ArrayList<>();
        try (Socket known = connect();
                Socket large = connect()) {
            say("before", known);
            roundTrip(large);
            for (int i = 0; i < 16; i++) {
                hold.add(ByteBuffer.allocateDirect(1 << 20));
            }
            int length = 7 << 20;
            Thread sending = new Thread(() -> {
                try {
                    large.getOutputStream().write(header(length));
                    byte[] piece = new byte[8 << 10];
                    for (int left = length - Frame.HEADER; left > 0; left -= piece.length) {
                        large.getOutputStream().write(piece, 0, Math.min(left, piece.length));
                    }
                } catch (IOException e) {
                    System.out.println("sending: " + e);
                }
            });
            sending.start();
            boolean early = largeCame.await(300, TimeUnit.MILLISECONDS);
            System.out.println("early=" + early);
            say("starved", known);
            System.out.println("closed=" + closed.get());
            System.out.println("held=" + hold.size());
            hold.clear();
            System.out.println("came=" + largeCame.await(60, TimeUnit.SECONDS));
            sending.join();
            say("after", known);
        }
    }
}
