package io.psf.runtime.internal.transport.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.Receiver;
import io.psf.runtime.spi.transport.RequestHeader;
import io.psf.runtime.spi.transport.TcpTransportContract;
import io.psf.runtime.spi.transport.Transport;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class NetTransportTest extends TcpTransportContract {
    @Override
    protected Transport newTransport(ConnectionLimits limits) {
        return new NetTransport(pool, NetTransport.Sharing.NEVER, Duration.ZERO, limits);
    }

    /** One that waits for what comes behind it would wait for ever, were it not relieved. */
    @Test
    void framesArriveWhileTheReceiverIsKept() throws Exception {
        CountDownLatch second = new CountDownLatch(1);
        CountDownLatch waited = new CountDownLatch(1);
        Receiver waits = new Receiver() {
            @Override
            public void received(Channel channel, Frame frame) {
                if (frame.call() == 1) {
                    second.countDown();
                    return;
                }
                channel.mayTakeLong();
                try {
                    second.await();
                    waited.countDown();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }

            @Override
            public void closed(Channel channel, PsException cause) {}
        };
        int port = transport.listen("127.0.0.1", 0, each -> waits).port();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(requests(2));
            waited.await();
        }
    }

    /** The thread that would give signs of life is the one that is kept. */
    @Test
    void anEndWhoseReceiverIsKeptIsNotGivenUp() throws Exception {
        CountDownLatch keep = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Duration silence = ample(Duration.ofMillis(400));
        Receiver keeps = new Receiver() {
            @Override
            public void received(Channel channel, Frame frame) {
                channel.trust();
                channel.keepAlive(silence.toNanos());
                channel.mayTakeLong();
                try {
                    keep.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                end.countDown();
            }

            @Override
            public void closed(Channel channel, PsException cause) {}
        };
        try (Transport other = newTransport()) {
            int port = transport.listen("127.0.0.1", 0, each -> keeps).port();
            Channel channel = other.connect("127.0.0.1", port, each -> atClient);
            channel.keepAlive(silence.toNanos());
            channel.send(request(1), LATER);
            await().atMost(Duration.ofHours(1))
                    .during(silence.multipliedBy(2))
                    .failFast(() -> !channel.isOpen())
                    .until(() -> true);
        } finally {
            keep.countDown();
        }
        end.await();
    }

    private Frame chain(int n) {
        FunctionInfo info = new FunctionInfo("some", 7, Place.SHARD, false, List.of("schema"));
        List<RequestHeader> headers = new ArrayList<>();
        List<TupleWriter> tuples = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            headers.add(new RequestHeader(info, new RequestHeader.Target(9, 3, (short) 0), i, 1000, 0, 0));
            tuples.add(new TupleWriter());
        }
        return Frames.chain(pool, headers, tuples);
    }

    /** Each request of a chain is answered: the answers must not count for more than the requests. */
    @Test
    void smallRequestsAreDeferredAfterAChainToo() throws Exception {
        AtomicInteger written = new AtomicInteger();
        CountDownLatch answers = new CountDownLatch(8);
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch resumed = new CountDownLatch(1);
        Receiver blocks = new Receiver() {
            @Override
            public void received(Channel channel, Frame frame) {
                if (frame.kind() == Frame.Kind.ANSWER) {
                    answers.countDown();
                    return;
                }
                blocked.countDown();
                try {
                    resumed.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }

            @Override
            public void sent(Channel channel, long bytes) {
                written.incrementAndGet();
            }

            @Override
            public void closed(Channel channel, PsException cause) {}
        };
        try (Transport other = newTransport()) {
            int port = transport.listen("127.0.0.1", 0, each -> atServer).port();
            Channel channel = other.connect("127.0.0.1", port, each -> blocks);
            channel.send(chain(8), LATER);
            assertThat(atServer.next().kind()).isEqualTo(Frame.Kind.CHAIN);
            Channel back = atServer.channels.get(0);
            back.trust();
            for (int i = 0; i < 8; i++) {
                back.offer(Frames.failure(pool, 7, 3, i, PsException.Code.BAD_REQUEST, "because"));
            }
            answers.await();
            back.offer(request(9)); // blocks the leader, which would write deferred requests
            blocked.await();
            for (int i = 0; i < 4; i++) {
                channel.send(request(i), LATER);
            }
            int before = written.get();
            channel.send(request(4), LATER);
            assertThat(written.get()).as("writes, with 4 unanswered requests").isEqualTo(before);
            resumed.countDown();
            for (int i = 0; i <= 4; i++) {
                assertThat(atServer.next().call()).isEqualTo(i);
            }
        } finally {
            resumed.countDown();
        }
    }
}
