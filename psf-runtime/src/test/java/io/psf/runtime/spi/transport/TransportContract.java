package io.psf.runtime.spi.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.array.FloatArray;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.TupleWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every transport does. */
@Timeout(60)
public abstract class TransportContract {
    private static final FunctionInfo INFO = new FunctionInfo("some", 7, Place.SHARD, false, List.of("schema"));

    protected static final long LATER = System.nanoTime() + TimeUnit.HOURS.toNanos(1);

    protected final FramePool pool = new FramePool(64 << 20);
    protected Transport transport;
    protected final Inbox atServer = new Inbox();
    protected final Inbox atClient = new Inbox();

    /** Keeps what comes. */
    protected static final class Inbox implements Receiver {
        public final BlockingQueue<Frame> frames = new LinkedBlockingQueue<>();
        public final List<Channel> channels = new CopyOnWriteArrayList<>();
        public final CompletableFuture<PsException> closed = new CompletableFuture<>();
        /** Whether it takes lent frames, to copy them. */
        public volatile boolean takesLent;

        /** How many were lent. */
        public final AtomicInteger lent = new AtomicInteger();

        /** The bytes that were reported as sent. */
        public final AtomicLong sent = new AtomicLong();

        @Override
        public boolean takesLent() {
            return takesLent;
        }

        private Frame copy(Frame frame) {
            lent.incrementAndGet();
            ByteBuffer bytes = ByteBuffer.allocate(frame.length());
            bytes.put(0, frame.bytes(), 0, frame.length());
            frame.release();
            return Frame.of(bytes);
        }

        @Override
        public void received(Channel channel, Frame frame) {
            if (!channels.contains(channel)) {
                channels.add(channel);
            }
            frames.add(frame.isLent() ? copy(frame) : frame);
        }

        @Override
        public void sent(Channel channel, long bytes) {
            sent.addAndGet(bytes);
        }

        @Override
        public void closed(Channel channel, PsException cause) {
            closed.complete(cause);
        }

        public Frame next() throws InterruptedException {
            return frames.take();
        }
    }

    /** The transport under test. */
    protected abstract Transport newTransport();

    @BeforeEach
    void start() {
        transport = newTransport();
    }

    @AfterEach
    void stop() {
        transport.close();
    }

    protected Frame request(long call, float... values) {
        TupleWriter tuple = new TupleWriter();
        tuple.i32(42);
        tuple.array(FloatArray.wrap(values));
        return Frames.request(
                pool, new RequestHeader(INFO, new RequestHeader.Target(9, 3, (short) 0), call, 1000, 0, 0), tuple);
    }

    protected Channel connect() {
        Transport.Listener listener = transport.listen("127.0.0.1", 0, each -> atServer);
        return transport.connect("127.0.0.1", listener.port(), each -> atClient);
    }

    @Test
    void framesArriveAsTheyWereSent() throws Exception {
        connect().send(request(77, 1.5f, -2f), LATER);
        Frame frame = atServer.next();
        assertThat(frame.kind()).isEqualTo(Frame.Kind.REQUEST);
        assertThat(frame.call()).isEqualTo(77);
        assertThat(frame.slice()).isEqualTo(3);
        assertThat(frame.timeout()).isEqualTo(1000);
        var reader = frame.reader(null);
        assertThat(reader.i32()).isEqualTo(42);
        assertThat(reader.floatArray().toArray()).containsExactly(1.5f, -2f);
    }

    @Test
    void answersComeBackOverTheSameConnection() throws Exception {
        connect().send(request(1), LATER);
        Frame asked = atServer.next();
        atServer.channels
                .get(0)
                .offer(Frames.failure(pool, 7, 3, asked.call(), PsException.Code.BAD_REQUEST, "because"));
        Frame answer = atClient.next();
        assertThat(answer.status()).isEqualTo(PsException.Code.BAD_REQUEST);
        assertThat(answer.reader(null).string()).isEqualTo("because");
    }

    @Test
    void framesOfAnySizeKeepTheirOrder() throws Exception {
        Channel channel = connect();
        channel.send(request(0), LATER);
        atServer.next();
        atServer.channels.get(0).trust();
        Random random = new Random(11);
        int frames = 200;
        int[] lengths = random.ints(frames, 0, 100_000).toArray();
        lengths[17] = 3_000_000;
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < frames; i++) {
                float[] values = new float[lengths[i]];
                java.util.Arrays.fill(values, i);
                channel.send(request(i, values), LATER);
            }
        });
        for (int i = 0; i < frames; i++) {
            Frame frame = atServer.next();
            FloatArray values = values(frame, i, lengths[i]);
            for (int at = 0; at < values.length(); at += 997) {
                assertThat(values.get(at)).isEqualTo(i);
            }
            frame.release();
        }
        sending.get();
    }

    private static FloatArray values(Frame frame, long call, int length) {
        assertThat(frame.call()).isEqualTo(call);
        var reader = frame.reader(null);
        assertThat(reader.i32()).isEqualTo(42);
        FloatArray values = reader.floatArray();
        assertThat(values.length()).isEqualTo(length);
        return values;
    }

    /** As the runtime sends: without a frame in between, where the channel can. */
    private void send(Channel channel, long call, float... values) {
        Draft draft = draft(call, values);
        if (!channel.send(draft, LATER)) {
            Frame frame = Frames.of(pool, draft);
            if (frame != null) {
                channel.send(frame, LATER);
            }
        }
    }

    private static Draft draft(long call, float... values) {
        TupleWriter tuple = new TupleWriter();
        tuple.i32(42);
        tuple.array(FloatArray.wrap(values));
        return new Draft() {
            @Override
            public int length() {
                return Frames.length(tuple);
            }

            @Override
            public boolean writeTo(ByteBuffer out) {
                Frames.request(
                        out,
                        new RequestHeader(INFO, new RequestHeader.Target(9, 3, (short) 0), call, 1000, 0, 0),
                        tuple);
                return call % 10 != 9; // given up meanwhile
            }
        };
    }

    @Test
    void offeredBytesAreReportedOnceEvenIfADraftIsDropped() throws Exception {
        Channel channel = connect();
        channel.offer(request(0));
        atServer.next().release();
        atServer.channels.get(0).trust();
        long offered = request(0).length();
        int received = 0;
        for (int i = 0; i < 100; i++) {
            Draft draft = draft(i, new float[i % 3 * 1500]);
            boolean dropped = i % 10 == 9;
            if (channel.offer(draft)) {
                offered += draft.length();
            } else if (!dropped) {
                offered += draft.length();
                channel.offer(Objects.requireNonNull(Frames.of(pool, draft)));
            }
            received += dropped ? 0 : 1;
        }
        for (int i = 0; i < received; i++) {
            atServer.next().release();
        }
        long all = offered;
        await().forever().until(() -> atClient.sent.get() == all);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void draftsAndFramesKeepTheirOrder(boolean lent) throws Exception {
        atServer.takesLent = lent;
        Channel channel = connect();
        channel.send(request(0), LATER);
        atServer.next().release();
        atServer.channels.get(0).trust();
        Random random = new Random(12);
        int frames = 400;
        int[] lengths = random.ints(frames, 0, 100_000).toArray();
        for (int i = 0; i < frames; i += 3) {
            lengths[i] = random.nextInt(20);
        }
        lengths[18] = 3_000_000;
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < frames; i++) {
                float[] values = new float[lengths[i]];
                java.util.Arrays.fill(values, i);
                if (i % 7 == 0) {
                    channel.send(request(i, values), LATER);
                } else {
                    send(channel, i, values);
                }
            }
        });
        for (int i = 0; i < frames; i++) {
            if (i % 10 == 9 && i % 7 != 0) {
                continue;
            }
            Frame frame = atServer.next();
            FloatArray values = values(frame, i, lengths[i]);
            for (int at = 0; at < values.length(); at++) {
                if (values.get(at) != i) {
                    assertThat(values.get(at)).isEqualTo(i);
                }
            }
            frame.release();
        }
        sending.get();
    }

    @Test
    void severalThreadsSendDraftsAtOnce() throws Exception {
        Channel channel = connect();
        channel.send(request(0), LATER);
        atServer.next().release();
        atServer.channels.get(0).trust();
        int threads = 4;
        List<CompletableFuture<Void>> sending = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            long of = 1000L * i;
            sending.add(CompletableFuture.runAsync(() -> {
                for (int j = 0; j < 40; j++) {
                    send(channel, (of + j) * 10, new float[50_000]);
                }
            }));
        }
        long[] next = new long[threads];
        for (int i = 0; i < threads * 40; i++) {
            Frame frame = atServer.next();
            int thread = (int) (frame.call() / 10_000);
            assertThat(frame.call() / 10 % 1000).isEqualTo(next[thread]++);
            frame.release();
        }
        CompletableFuture.allOf(sending.toArray(CompletableFuture[]::new)).get();
    }

    @Test
    void aSenderWaitsWhileThePeerDoesNotRead() throws Exception {
        Channel channel = connect();
        channel.send(request(0), LATER);
        atServer.next();
        atServer.channels.get(0).trust();
        atServer.channels.get(0).setReading(false);
        AtomicInteger sent = new AtomicInteger();
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 150; i++) {
                channel.send(request(i, new float[100_000]), LATER);
                sent.incrementAndGet();
            }
        });
        await().forever().until(() -> settles(sent));
        assertThat(sent.get())
                .as("frames of 400 KB sent to a peer that does not read")
                .isLessThan(100);
        atServer.channels.get(0).setReading(true);
        for (int i = 0; i < 150; i++) {
            Frame frame = atServer.next();
            assertThat(frame.call()).isEqualTo(i);
            frame.release();
        }
        sending.get();
    }

    private static boolean settles(AtomicInteger counter) throws InterruptedException {
        int before = counter.get();
        return !new java.util.concurrent.CountDownLatch(1).await(300, TimeUnit.MILLISECONDS) && counter.get() == before;
    }

    @Test
    void closingOneEndIsToldToTheOther() throws Exception {
        Channel channel = connect();
        channel.send(request(1), LATER);
        atServer.next();
        channel.close();
        assertThat(atServer.closed.get().code()).isEqualTo(PsException.Code.UNAVAILABLE);
        assertThatThrownBy(() -> channel.send(request(2), LATER))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.UNAVAILABLE));
    }

    @Test
    void connectingWhereNobodyListensFails() {
        Transport.Listener listener = transport.listen("127.0.0.1", 0, each -> atServer);
        int port = listener.port();
        listener.close();
        assertThatThrownBy(() -> transport.connect("127.0.0.1", port, each -> atClient))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.UNAVAILABLE));
    }

    @Test
    void listeningTwiceOnOnePortFails() {
        Transport.Listener listener = transport.listen("127.0.0.1", 0, each -> atServer);
        assertThatThrownBy(() -> transport.listen("127.0.0.1", listener.port(), each -> atServer))
                .isInstanceOf(PsException.class);
    }
}
