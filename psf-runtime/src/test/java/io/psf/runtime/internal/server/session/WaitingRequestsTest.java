package io.psf.runtime.internal.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.RecordedChannel;
import org.junit.jupiter.api.Test;

/** Requests that wait for their turns take memory of the heap, however short their frames are. */
final class WaitingRequestsTest {
    private static final FramePool POOL = new FramePool(1 << 20);

    private boolean isRead = true;

    @Test
    void aConnectionIsNotReadWhileTooManyOfItsRequestsWait() {
        Admission admission = new Admission("test", POOL, () -> true, () -> false, () -> {});
        RecordedChannel channel = new RecordedChannel() {
            @Override
            public void setReading(boolean reading) {
                isRead = reading;
            }
        };
        admission.setConnections(1_000_000);
        Connection connection = new Connection(channel, POOL, 1 << 30, admission);
        for (int i = 0; i < Admission.LEAST_WAITING; i++) {
            connection.requested(64);
        }
        assertThat(isRead).isTrue();
        connection.requested(64);
        assertThat(isRead).isFalse();
        assertThat(connection.inUse()).isEqualTo(64 * (Admission.LEAST_WAITING + 1));
        for (int i = 0; i < Admission.LEAST_WAITING / 2; i++) {
            connection.started(64);
        }
        assertThat(isRead).as("with more than half of them").isFalse();
        connection.started(64);
        assertThat(isRead).isTrue();
        for (int i = 0; i < Admission.LEAST_WAITING / 2; i++) {
            connection.started(64);
        }
        assertThat(connection.isSettled()).isTrue();
    }
}
