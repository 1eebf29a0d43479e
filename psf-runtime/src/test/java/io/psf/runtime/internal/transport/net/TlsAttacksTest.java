package io.psf.runtime.internal.transport.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.TestTls;
import io.psf.runtime.internal.transport.tls.Contexts;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.Receiver;
import io.psf.runtime.spi.transport.TlsEngines;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers with and without a certificate that try to harm a node with TLS. */
@Timeout(300)
final class TlsAttacksTest {
    private static final TlsEngines ENGINES = Contexts.engines(TestTls.NODE);
    /** Between the places where handshakes are cut off; 1 for each byte, which takes a minute. */
    private static final int CUTS = Integer.getInteger("psf.test.cuts", 11);

    /** Each takes a millisecond of a processor, and the thread of the handshakes has a tenth of it. */
    private static final int HALF_OPEN = 500;

    private static final long LATER = System.nanoTime() + TimeUnit.HOURS.toNanos(1);

    /** No peer runs into these limits, however slow its handshake is. */
    private static final ConnectionLimits PATIENT =
            ConnectionLimits.usual().withHello(Duration.ofHours(1)).withPartialFrame(Duration.ofHours(1));

    private final FramePool pool = new FramePool(16 << 20);
    private final NetTransport server = transport();
    private final NetTransport client = transport();
    private final BlockingQueue<PsException> ends = new LinkedBlockingQueue<>();
    private final BlockingQueue<Long> answers = new LinkedBlockingQueue<>();
    private int port;

    private NetTransport transport() {
        return new NetTransport(pool, NetTransport.Sharing.NEVER, Duration.ZERO, PATIENT, false, ENGINES);
    }

    /** Answers each frame. */
    private static final class Answers implements Receiver {
        private final FramePool pool;
        private final BlockingQueue<PsException> ends;

        Answers(FramePool pool, BlockingQueue<PsException> ends) {
            this.pool = pool;
            this.ends = ends;
        }

        @Override
        public void received(Channel channel, Frame frame) {
            long call = frame.call();
            frame.release();
            channel.trust();
            channel.offer(Frames.failure(pool, 7, 3, call, Code.BAD_REQUEST, "because"));
        }

        @Override
        public void closed(Channel channel, PsException cause) {
            ends.add(cause);
        }
    }

    private final class Counts implements Receiver {
        @Override
        public void received(Channel channel, Frame frame) {
            answers.add(frame.call());
            frame.release();
        }

        @Override
        public void closed(Channel channel, PsException cause) {}
    }

    @BeforeEach
    void listen() {
        Acceptor answers = each -> new Answers(pool, ends);
        port = server.listen("127.0.0.1", 0, answers).port();
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    private Frame request(long call, int length) {
        return Frames.failure(pool, 7, 3, call, Code.BAD_REQUEST, "x".repeat(length));
    }

    private byte[] bytes(long call) {
        Frame frame = request(call, 100);
        byte[] all = new byte[frame.length()];
        frame.bytes().get(0, all);
        frame.release();
        return all;
    }

    private void honest(Channel channel, long call) throws InterruptedException {
        channel.send(request(call, 100), LATER);
        assertThat(answers.take()).isEqualTo(call);
    }

    private static long descriptors() throws IOException {
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    /** Passes bytes on, in each direction up to a number of them; may change one. */
    private static final class Proxy implements AutoCloseable {
        private final ServerSocket listens = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final int port;
        /** The bytes that pass, from the client and from the server. */
        private volatile int[] most = {Integer.MAX_VALUE, Integer.MAX_VALUE};

        private final AtomicInteger[] passed = {new AtomicInteger(), new AtomicInteger()};
        private volatile int flips = -1;

        Proxy(int port) throws IOException {
            this.port = port;
            Thread thread = new Thread(this::accept, "proxy");
            thread.setDaemon(true);
            thread.start();
        }

        private void accept() {
            try {
                while (true) {
                    Socket near = listens.accept();
                    Socket far = new Socket(InetAddress.getLoopbackAddress(), port);
                    pump(near, far, 0);
                    pump(far, near, 1);
                }
            } catch (IOException e) {
                assertThat(listens.isClosed()).isTrue();
            }
        }

        private void pump(Socket from, Socket to, int direction) {
            int limit = most[direction];
            passed[direction].set(0);
            Thread thread = new Thread(
                    () -> {
                        try (from;
                                to) {
                            InputStream in = from.getInputStream();
                            byte[] some = new byte[8192];
                            for (int n = 0, all = 0; n >= 0 && all < limit; all += n) {
                                n = in.read(some, 0, Math.min(some.length, limit - all));
                                if (n > 0 && direction == 0 && flips >= 0 && all + n > flips && all <= flips) {
                                    some[flips - all] ^= 1;
                                }
                                if (n > 0) {
                                    passed[direction].addAndGet(n);
                                    to.getOutputStream().write(some, 0, n);
                                }
                            }
                        } catch (IOException e) {
                            Thread.currentThread().interrupt(); // one of both ends has closed
                        }
                    },
                    "proxy");
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        public void close() throws IOException {
            listens.close();
        }
    }

    @Test
    void aHandshakeThatIsCutOffAnywhereFailsInASentenceAndLeavesNothing() throws Exception {
        try (Proxy proxy = new Proxy(port)) {
            int there = proxy.listens.getLocalPort();
            honest(client.connect("127.0.0.1", there, each -> new Counts()), 1);
            int[] lengths = {proxy.passed[0].get(), proxy.passed[1].get()};
            long before = descriptors();
            int refused = 0;
            for (int direction = 0; direction < 2; direction++) {
                for (int cut = 0; cut < lengths[direction]; cut += CUTS) {
                    proxy.most =
                            direction == 0 ? new int[] {cut, Integer.MAX_VALUE} : new int[] {Integer.MAX_VALUE, cut};
                    CompletableFuture<PsException> end = new CompletableFuture<>();
                    try {
                        Channel channel = client.connect("127.0.0.1", there, each -> new Receiver() {
                            @Override
                            public void received(Channel from, Frame frame) {
                                frame.release();
                            }

                            @Override
                            public void closed(Channel closed, PsException cause) {
                                end.complete(cause);
                            }
                        });
                        channel.offer(request(2, 100));
                        assertThat(end.get().code()).isEqualTo(Code.UNAVAILABLE);
                    } catch (PsException e) {
                        assertThat(e.code()).as("cut at %d", cut).isEqualTo(Code.UNAVAILABLE);
                        refused++;
                    }
                }
            }
            assertThat(refused).isPositive();
            System.out.printf(
                    "handshakes cut off: %d of %d bytes, %d refused while connecting%n",
                    CUTS, lengths[0] + lengths[1], refused);
            await().forever().until(() -> descriptors() <= before + 4);
        }
        honest(client.connect("127.0.0.1", port, each -> new Counts()), 3);
    }

    private byte[] hello() throws IOException {
        SSLEngine engine = ENGINES.connecting("127.0.0.1", port);
        engine.beginHandshake();
        ByteBuffer record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), record);
        byte[] bytes = new byte[record.flip().remaining()];
        record.get(bytes);
        return bytes;
    }

    /** Returns the number of calls in that time, 16 at a time. */
    private int rate(Channel channel, Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        int n = 0;
        for (int i = 0; i < 16; i++) {
            channel.send(request(i, 100), LATER);
        }
        for (; System.nanoTime() < end; n++) {
            assertThat(answers.take()).isEqualTo(n);
            channel.send(request(n + 16, 100), LATER);
        }
        for (int i = 0; i < 16; i++) {
            assertThat(answers.take()).isEqualTo(n + i);
        }
        return n;
    }

    @Tag("long")
    @Test
    void halfOpenHandshakesDoNotStopHonestCalls() throws Exception {
        Channel channel = client.connect("127.0.0.1", port, each -> new Counts());
        rate(channel, Duration.ofSeconds(1));
        long before = descriptors();
        byte[] hello = hello();
        List<Socket> open = new ArrayList<>();
        int alone = rate(channel, Duration.ofSeconds(1));
        CompletableFuture<Void> attack = CompletableFuture.runAsync(() -> {
            try {
                for (int i = 0; i < HALF_OPEN; i++) {
                    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                    open.add(socket);
                    socket.getOutputStream().write(hello);
                }
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        int during = rate(channel, Duration.ofSeconds(1));
        attack.get();
        honest(client.connect("127.0.0.1", port, each -> new Counts()), -1);
        System.out.printf("calls in a second: %d alone, %d beside %d half-open handshakes%n", alone, during, HALF_OPEN);
        for (Socket socket : open) {
            socket.close();
        }
        await().forever().until(() -> descriptors() <= before + 6);
        await().forever()
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("psf-tls")));
    }

    @Test
    void aStormOfKeyUpdatesEndsTheConnection() throws Exception {
        try (SSLSocket socket = Contexts.connect(Contexts.of(TestTls.NODE), port)) {
            socket.getOutputStream().write(bytes(1));
            assertThat(socket.getInputStream().read()).isPositive();
            for (int i = 0; i < 1000; i++) {
                socket.startHandshake(); // a key update, in TLS 1.3
            }
        } catch (IOException e) {
            assertThat(e).isNotNull(); // the connection was closed meanwhile
        }
        assertThat(ends.take()).hasMessageContaining("records without content");
    }

    @Test
    void someKeyUpdatesBetweenFramesAreAnswered() throws Exception {
        try (SSLSocket socket = Contexts.connect(Contexts.of(TestTls.NODE), port)) {
            int length = bytes(0).length;
            for (int i = 0; i < 50; i++) {
                socket.startHandshake();
                socket.getOutputStream().write(bytes(i));
                byte[] answer = socket.getInputStream().readNBytes(Frame.HEADER);
                int rest = ByteBuffer.wrap(answer)
                        .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                        .getInt(0);
                assertThat(rest).isLessThan(length + Frame.HEADER);
                assertThat(socket.getInputStream().readNBytes(rest - Frame.HEADER))
                        .hasSize(rest - Frame.HEADER);
            }
        }
        assertThat(ends.take()).hasMessageContaining("connection closed");
    }

    @Test
    void damagedBytesEndTheConnection() throws Exception {
        try (Proxy proxy = new Proxy(port)) {
            int there = proxy.listens.getLocalPort();
            Channel channel = client.connect("127.0.0.1", there, each -> new Counts());
            honest(channel, 1);
            ends.clear();
            proxy.flips = proxy.passed[0].get() + 1000;
            channel.send(request(2, 4000), LATER);
            assertThat(ends.take()).hasMessageContaining("TLS: a record was damaged on the way");
            proxy.flips = -1;
            honest(client.connect("127.0.0.1", there, each -> new Counts()), 3);
        }
    }
}
