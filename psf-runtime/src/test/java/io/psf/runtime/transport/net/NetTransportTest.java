package io.psf.runtime.transport.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.psf.api.PsException;
import io.psf.runtime.transport.Channel;
import io.psf.runtime.transport.ConnectionLimits;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.Receiver;
import io.psf.runtime.transport.TcpTransportContract;
import io.psf.runtime.transport.Transport;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
                    if (second.await(10, TimeUnit.SECONDS)) {
                        waited.countDown();
                    }
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
            assertThat(waited.await(5, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** The thread that would give signs of life is the one that is kept. */
    @Test
    void anEndWhoseReceiverIsKeptIsNotGivenUp() throws Exception {
        CountDownLatch keep = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Receiver keeps = new Receiver() {
            @Override
            public void received(Channel channel, Frame frame) {
                channel.trust();
                channel.keepAlive(TimeUnit.MILLISECONDS.toNanos(400));
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
            channel.keepAlive(TimeUnit.MILLISECONDS.toNanos(400));
            channel.send(request(1), LATER);
            await().during(Duration.ofMillis(700))
                    .atMost(Duration.ofSeconds(20))
                    .until(channel::isOpen);
        } finally {
            keep.countDown();
        }
        assertThat(end.await(10, TimeUnit.SECONDS)).isTrue();
    }
}
