package io.psf.runtime.internal.transport.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.Transport;
import io.psf.runtime.spi.transport.TransportContract;
import org.junit.jupiter.api.Test;

final class InProcessTransportTest extends TransportContract {
    @Override
    protected Transport newTransport() {
        return new InProcessTransport();
    }

    @Test
    void anInterruptedSendReleasesItsFrame() throws Exception {
        Channel channel = connect();
        channel.send(request(1), LATER);
        atServer.next().release();
        atServer.channels.get(0).setReading(false);
        Frame frame = request(2);
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> channel.send(frame, LATER))
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.CANCELLED));
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThatThrownBy(frame::release).isInstanceOf(IllegalStateException.class);
    }
}
