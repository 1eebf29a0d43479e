package io.psf.runtime.internal.transport.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.Receiver;
import io.psf.runtime.spi.transport.SocketTransportContract;
import io.psf.runtime.spi.transport.Transport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class SharedMemoryTest extends SocketTransportContract {
    @Override
    protected Transport newTransport(ConnectionLimits limits) {
        return newTransport(NetTransport.Sharing.ALWAYS, limits);
    }

    private Transport newTransport(NetTransport.Sharing sharing, ConnectionLimits limits) {
        return new NetTransport(pool, sharing, Duration.ZERO, limits);
    }

    @Test
    void whoDoesNotShareIsNotReached() {
        try (Transport other = newTransport(NetTransport.Sharing.NEVER, ConnectionLimits.usual())) {
            int port = other.listen("127.0.0.1", 0, each -> atServer).port();
            assertThatThrownBy(() -> transport.connect("127.0.0.1", port, each -> atClient))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("shared memory: not offered");
        }
    }

    @Test
    void whereItIsNotOfferedTcpTakesItsPlace() throws Exception {
        try (Transport other = newTransport(NetTransport.Sharing.NEVER, ConnectionLimits.usual());
                Transport either = newTransport(NetTransport.Sharing.WHERE_POSSIBLE, ConnectionLimits.usual())) {
            int port = other.listen("127.0.0.1", 0, each -> atServer).port();
            Channel channel = either.connect("127.0.0.1", port, each -> atClient);
            channel.send(request(9), System.nanoTime() + TimeUnit.SECONDS.toNanos(10));
            assertThat(atServer.next().call()).isEqualTo(9);
        }
    }

    @Test
    void largeFramesAreReadWhereTheyLie() throws Exception {
        atServer.takesLent = true;
        Channel channel = connect();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        channel.send(request(0), deadline);
        atServer.next().release();
        atServer.channels.get(0).trust();
        for (int i = 0; i < 100; i++) {
            channel.send(request(i, new float[10_000]), deadline);
            Frame frame = atServer.next();
            assertThat(frame.call()).isEqualTo(i);
            frame.release();
        }
        assertThat(atServer.lent).as("but those over the ring's end").hasValueBetween(90, 100);
    }

    @Test
    void nothingIsReadBehindAFrameThatIsLentUntilItIsGivenBack() throws Exception {
        BlockingQueue<Frame> lent = new LinkedBlockingQueue<>();
        Receiver keeps = new Receiver() {
            @Override
            public void received(Channel channel, Frame frame) {
                lent.add(frame);
            }

            @Override
            public boolean takesLent() {
                return true;
            }

            @Override
            public void closed(Channel channel, PsException cause) {}
        };
        Transport.Listener listener = transport.listen("127.0.0.1", 0, each -> keeps);
        Channel channel = transport.connect("127.0.0.1", listener.port(), each -> atClient);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        channel.send(request(1, new float[3_000]), deadline); // a stranger sends no more than 16 KB
        channel.send(request(2), deadline);
        Frame first = lent.take();
        assertThat(first.isLent()).isTrue();
        assertThat(lent.poll(100, TimeUnit.MILLISECONDS)).isNull();
        assertThat(first.call()).isEqualTo(1);
        first.release();
        Frame second = lent.take();
        assertThat(second.call()).isEqualTo(2);
        assertThat(second.isLent()).as("small ones are copied").isFalse();
    }

    @Test
    void noFileIsLeftBehind() throws Exception {
        connect().send(request(1), System.nanoTime() + TimeUnit.SECONDS.toNanos(10));
        atServer.next();
        Path memory = Path.of("/dev/shm");
        if (Files.isDirectory(memory)) {
            List<Path> there;
            try (Stream<Path> files = Files.list(memory)) {
                there = files.filter(file -> file.getFileName().toString().startsWith("psf-"))
                        .toList();
            }
            // Other processes make such files too, and delete them soon.
            await().forever().until(() -> there.stream().noneMatch(Files::exists));
        }
    }
}
