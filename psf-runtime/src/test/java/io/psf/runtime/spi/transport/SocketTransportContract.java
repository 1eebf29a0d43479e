package io.psf.runtime.spi.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.PsException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every transport over sockets does with peers that send anything but frames. */
public abstract class SocketTransportContract extends TransportContract {
    /**
     * The limit of a test: no peer runs into these limits, and no check at intervals of an eighth wakes the transport.
     */
    private static final ConnectionLimits PATIENT =
            ConnectionLimits.usual().withHello(Duration.ofHours(1)).withPartialFrame(Duration.ofHours(1));

    /** The longest read of a socket, in milliseconds. */
    private static final int LONGEST_READ = 120_000;

    /** Connects a peer that may send anything. */
    protected Socket open(int port) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port);
    }

    /** A transport under test, with limits of its own. */
    protected abstract Transport newTransport(ConnectionLimits limits);

    @Override
    protected Transport newTransport() {
        return newTransport(PATIENT);
    }

    /**
     * Returns a limit that a healthy peer keeps, however busy the machine is: ten times what a connection and a request
     * take now.
     *
     * @param least the limit on an idle machine
     */
    protected Duration ample(Duration least) throws Exception {
        long taken = 0;
        for (int i = 0; i < 2; i++) { // the first one may load classes
            Inbox inbox = new Inbox();
            int port = transport.listen("127.0.0.1", 0, each -> inbox).port();
            long begin = System.nanoTime();
            try (Socket socket = open(port)) {
                socket.getOutputStream().write(requests(1));
                inbox.next().release();
            }
            taken = System.nanoTime() - begin;
        }
        Duration wanted = Duration.ofNanos(10 * taken);
        return wanted.compareTo(least) > 0 ? wanted : least;
    }

    @Test
    void garbageIsAnsweredWithAnErrorAndCutOff() throws Exception {
        assertThat(told("GET / HTTP/1.1\r\nHost: localhost\r\nAccept: text/html,application/json\r\n\r\n"
                        .getBytes(StandardCharsets.US_ASCII)))
                .contains("not a psf frame: kind: 0x2f");
    }

    @Test
    void aStrangersGiantFrameIsRefusedBeforeItIsAllocated() throws Exception {
        byte[] header = header();
        ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).putInt(0, 1 << 30);
        assertThat(told(header)).contains("length: 1073741824 (expected: a multiple of 8 from 48 to 16384)");
    }

    @Test
    void halfAFrameIsAnsweredWithAnErrorAndCutOff() throws Exception {
        assertThat(toldHalf(Arrays.copyOf(header(), 20))).contains("half a frame: 20 of 48 bytes");
    }

    @Test
    void aFrameThatStopsInItsBodyIsAnsweredWithAnErrorAndCutOff() throws Exception {
        assertThat(toldHalf(header())).contains("half a frame: 48 of");
    }

    @Test
    void announcingGiantFramesTakesNoMemory() throws Exception {
        Transport.Listener listener = transport.listen("127.0.0.1", 0, each -> atServer);
        byte[] small = new byte[request(1).length()];
        request(1).bytes().get(0, small);
        byte[] giant = header();
        ByteBuffer.wrap(giant).order(ByteOrder.LITTLE_ENDIAN).putInt(0, Frame.MAX_LENGTH);
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 12; i++) {
                Socket socket = open(listener.port());
                sockets.add(socket);
                socket.getOutputStream().write(small);
                atServer.next();
                atServer.channels.get(i).trust();
                socket.getOutputStream().write(giant);
            }
            Socket honest = open(listener.port());
            sockets.add(honest);
            honest.getOutputStream().write(small);
            assertThat(atServer.next().call()).isEqualTo(1);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    /** Stopped reading must not stop writing: a node stops reading from a peer until that has taken its answers. */
    @Test
    void whatIsUnsentGoesOutWhileReadingIsStopped() throws Exception {
        try (Transport other = newTransport()) {
            int port = transport.listen("127.0.0.1", 0, each -> atServer).port();
            Channel near = other.connect("127.0.0.1", port, each -> atClient);
            near.trust();
            near.send(request(0), LATER);
            atServer.next().release();
            Channel far = atServer.channels.get(0);
            far.trust();
            far.setReading(false);
            near.send(request(31), LATER);
            for (int i = 1; i <= 20; i++) { // more than what a socket or a ring takes at once
                far.offer(request(i, new float[1_000_000]));
                Frame frame = atClient.next();
                assertThat(frame.call()).isEqualTo(i);
                frame.release();
            }
            assertThat(atServer.frames).isEmpty();
            far.setReading(true);
            assertThat(atServer.next().call()).isEqualTo(31);
        }
    }

    /** Reading was stopped since the peer takes no answers: nothing else would ever say that it has gone. */
    @Test
    void theEndOfAPeerThatTakesNothingIsNoticedWhileReadingIsStopped() throws Exception {
        try (Transport other = newTransport()) {
            int port = transport.listen("127.0.0.1", 0, each -> atServer).port();
            Channel near = other.connect("127.0.0.1", port, each -> atClient);
            near.send(request(0), LATER);
            atServer.next().release();
            Channel far = atServer.channels.get(0);
            far.trust();
            near.setReading(false);
            far.setReading(false);
            for (int i = 1; i <= 60; i++) {
                far.offer(request(i, new float[100_000]));
            }
            near.close();
            atServer.closed.get();
        }
    }

    /** Frames of calls 0 to n - 1, one after another. */
    protected byte[] requests(int n) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < n; i++) {
            Frame frame = request(i);
            byte[] bytes = new byte[frame.length()];
            frame.bytes().get(0, bytes);
            all.writeBytes(bytes);
        }
        return all.toByteArray();
    }

    /** Keeps the thread that hands over call 0, until the frames behind it have come or some time has passed. */
    private final class Keeping implements Receiver {
        private final CountDownLatch others = new CountDownLatch(14);
        private final long millis;
        private final boolean says;

        /**
         * A receiver.
         *
         * @param says whether it says before that it may take long
         */
        Keeping(long millis, boolean says) {
            this.millis = millis;
            this.says = says;
        }

        @Override
        public void received(Channel channel, Frame frame) {
            if (frame.call() > 0) {
                atServer.received(channel, frame);
                others.countDown();
                return;
            }
            if (says) {
                atServer.received(channel, frame);
                channel.mayTakeLong();
            }
            try {
                var unused = others.await(millis, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (!says) {
                atServer.received(channel, frame);
            }
        }

        @Override
        public void closed(Channel channel, PsException cause) {}
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void framesBehindOneThatKeepsItsReceiverArriveInTheirOrder(boolean says) throws Exception {
        Keeping receiver = new Keeping(100, says);
        try (Socket socket =
                open(transport.listen("127.0.0.1", 0, each -> receiver).port())) {
            socket.getOutputStream().write(requests(15)); // in one piece, so that they are read at once
            receiver.others.await(); // 14 frames that came together with the first
            for (int i = 0; i < 15; i++) {
                assertThat(atServer.next().call()).isEqualTo(i);
            }
        }
    }

    /** Any connection may fail at any time, for want of memory, say: that is no business of the others. */
    @Test
    void aChannelThatFailsAgainAndAgainDoesNotKeepTheOthersWaiting() throws Exception {
        AtomicInteger failed = new AtomicInteger();
        Receiver fails = new Receiver() {
            @Override
            public void received(Channel channel, Frame frame) {
                if (frame.call() == 666) {
                    failed.incrementAndGet();
                    throw new OutOfMemoryError("made by a test");
                }
                atServer.received(channel, frame);
            }

            @Override
            public void closed(Channel channel, PsException cause) {}
        };
        int port = transport.listen("127.0.0.1", 0, each -> fails).port();
        byte[] bad = new byte[request(666).length()];
        request(666).bytes().get(0, bad);
        AtomicBoolean stop = new AtomicBoolean();
        CompletableFuture<Void> failing = CompletableFuture.runAsync(() -> {
            while (!stop.get()) {
                try (Socket socket = open(port)) {
                    while (!stop.get()) {
                        socket.getOutputStream().write(bad);
                    }
                } catch (IOException e) {
                    Thread.onSpinWait(); // cut off: again
                }
            }
        });
        try {
            await().forever().until(() -> failed.get() > 3);
            for (int i = 0; i < 20; i++) {
                try (Socket socket = open(port)) {
                    socket.getOutputStream().write(requests(1));
                    atServer.next();
                }
            }
        } finally {
            stop.set(true);
            failing.get();
        }
    }

    private Socket connect(int port) throws IOException {
        Socket socket = open(port);
        socket.setSoTimeout(LONGEST_READ);
        return socket;
    }

    /** Whether the other end has closed. */
    private static boolean isAtEnd(Socket socket) {
        try {
            socket.setSoTimeout(1);
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void aStrangerThatSaysNothingIsCutOff() throws Exception {
        Duration hello = ample(Duration.ofMillis(300));
        try (Transport strict = newTransport(PATIENT.withHello(hello));
                Socket socket =
                        connect(strict.listen("127.0.0.1", 0, each -> atServer).port())) {
            byte[] told = socket.getInputStream().readAllBytes();
            assertThat(new String(told, StandardCharsets.UTF_8))
                    .contains("hello: none (expected: one within " + hello.toMillis() + " ms)");
            assertThat(atServer.closed.get().code()).isEqualTo(PsException.Code.TIMED_OUT);
        }
    }

    @Test
    void aStrangerThatSendsByteAfterByteIsCutOff() throws Exception {
        Duration hello = ample(Duration.ofMillis(300));
        try (Transport strict = newTransport(PATIENT.withHello(hello));
                Socket socket =
                        connect(strict.listen("127.0.0.1", 0, each -> atServer).port())) {
            byte[] request = requests(1);
            await().forever().pollInterval(Duration.ofMillis(100)).until(() -> {
                try {
                    socket.getOutputStream().write(request[0]);
                } catch (IOException e) {
                    return true;
                }
                return isAtEnd(socket);
            });
        }
    }

    @Test
    void aStrangerWhoseRequestIsBeingAnsweredIsNotCutOffNorOneThatIsTrusted() throws Exception {
        Duration hello = ample(Duration.ofMillis(500));
        try (Transport strict = newTransport(PATIENT.withHello(hello))) {
            int port = strict.listen("127.0.0.1", 0, each -> atServer).port();
            try (Socket waiting = connect(port)) {
                waiting.getOutputStream().write(requests(1));
                atServer.next();
                try (Socket trusted = connect(port)) { // later, so that it is the second channel
                    trusted.getOutputStream().write(requests(1));
                    atServer.next();
                    atServer.channels.get(1).trust();
                    atServer.channels.get(1).offer(request(5));
                    try (Socket silent = connect(port)) {
                        silent.getInputStream().readAllBytes(); // in the end it is cut off
                    }
                    assertThat(atServer.channels).allMatch(Channel::isOpen);
                    atServer.channels
                            .get(0)
                            .offer(Frames.failure(pool, 1, 2, 3, PsException.Code.BAD_REQUEST, "in the end"));
                    assertThat(new String(waiting.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                            .contains("in the end", "hello: none");
                    assertThat(atServer.channels.get(1).isOpen()).isTrue();
                }
            }
        }
    }

    @Test
    void theOldestStrangerGivesWayToOneMore() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (Transport strict = newTransport(PATIENT.withStrangers(5))) {
            int port = strict.listen("127.0.0.1", 0, each -> atServer).port();
            Socket waiting = connect(port);
            sockets.add(waiting);
            waiting.getOutputStream().write(requests(1));
            atServer.next();
            for (int i = 0; i < 20; i++) {
                sockets.add(connect(port));
            }
            Socket honest = connect(port);
            sockets.add(honest);
            honest.getOutputStream().write(requests(1));
            atServer.next();
            await().forever().until(() -> sockets.subList(1, 18).stream().allMatch(SocketTransportContract::isAtEnd));
            assertThat(sockets.subList(18, sockets.size())).noneMatch(SocketTransportContract::isAtEnd);
            assertThat(isAtEnd(waiting)).as("a request of it is being answered").isFalse();
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void aStrangerThatTakesNoAnswersIsCutOff() throws Exception {
        Receiver answers = new Receiver() {
            @Override
            public void received(Channel channel, Frame frame) {
                frame.release();
                channel.offer(Frames.failure(pool, 1, 2, 3, PsException.Code.BAD_REQUEST, "because ".repeat(400)));
            }

            @Override
            public void closed(Channel channel, PsException cause) {
                atServer.closed(channel, cause);
            }
        };
        int port = transport.listen("127.0.0.1", 0, each -> answers).port();
        try (Socket socket = connect(port)) {
            byte[] request = requests(1);
            assertThatThrownBy(() -> {
                        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
                        while (System.nanoTime() - end < 0) {
                            socket.getOutputStream().write(request);
                        }
                    })
                    .isInstanceOf(IOException.class);
            assertThat(atServer.closed.get()).hasMessageContaining("(expected: at most 65536)");
        }
    }

    @Test
    void aStrangerThatAsksAndAsksIsCutOff() throws Exception {
        int port = transport.listen("127.0.0.1", 0, each -> atServer).port();
        try (Socket socket = connect(port)) {
            socket.getOutputStream().write(requests(20));
            byte[] told = socket.getInputStream().readAllBytes();
            assertThat(new String(told, StandardCharsets.UTF_8))
                    .contains("requests without an answer before the hello: 17 (expected: at most 16)");
            assertThat(atServer.frames).hasSize(16);
        }
    }

    /** Signs of life come and go between requests, and nobody above the transport sees them. */
    @Test
    void aSignOfLifeIsNobodysBusiness() throws Exception {
        Transport.Listener listener = transport.listen("127.0.0.1", 0, each -> atServer);
        try (Transport other = newTransport()) {
            Channel channel = other.connect("127.0.0.1", listener.port(), each -> atClient);
            for (int i = 0; i < 5; i++) {
                channel.send(request(i), LATER);
                channel.offer(Frames.ping(pool));
            }
            for (int i = 0; i < 5; i++) {
                assertThat(atServer.next().call()).isEqualTo(i);
            }
            assertThat(atServer.frames).isEmpty();
        }
    }

    private byte[] header() {
        Frame frame = request(5, 1f, 2f, 3f);
        byte[] header = new byte[Frame.HEADER];
        frame.bytes().get(0, header);
        return header;
    }

    /** Sends bytes to a fresh port and answers the detail of the error that comes back before the end. */
    private String told(byte[] bytes) throws Exception {
        return told(bytes, transport);
    }

    /** Sends bytes to a port of a transport that waits for the rest of a frame for a moment. */
    private String toldHalf(byte[] bytes) throws Exception {
        ConnectionLimits limits = PATIENT.withPartialFrame(ample(Duration.ofMillis(300)));
        try (Transport strict = newTransport(limits)) {
            return told(bytes, strict);
        }
    }

    private String told(byte[] bytes, Transport by) throws Exception {
        Transport.Listener listener = by.listen("127.0.0.1", 0, each -> atServer);
        try (Socket socket = open(listener.port())) {
            socket.setSoTimeout(LONGEST_READ);
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
            byte[] all = socket.getInputStream().readAllBytes();
            assertThat(all.length).isGreaterThan(Frame.HEADER);
            assertThat(atServer.closed.get().code()).isEqualTo(PsException.Code.PROTOCOL);
            assertThat(atServer.frames).isEmpty();
            return new String(all, Frame.HEADER, all.length - Frame.HEADER, StandardCharsets.UTF_8);
        }
    }
}
