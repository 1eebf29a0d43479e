package io.psf.runtime.internal.server.lane;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.runtime.spi.transport.FramePool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Delayed work, of which peers cause as much as they can. */
@Timeout(60)
final class AlarmsTest {
    private static final Duration LONG = Duration.ofDays(20);

    private final Lane lane = new Lane("alarms", new FramePool(1 << 20));
    private final Alarms alarms = new Alarms(lane);

    @AfterEach
    void stop() {
        alarms.close();
        lane.close(() -> {});
    }

    @Test
    void moreThanTheBoundIsRefusedUntilSomeIsCancelled() throws Exception {
        List<Future<?>> waiting = new ArrayList<>();
        for (int i = 0; i < Alarms.MOST; i++) {
            waiting.add(alarms.after(LONG, () -> {}));
        }
        assertThatThrownBy(() -> alarms.after(LONG, () -> {}))
                .hasMessageContaining("RESOURCE_EXHAUSTED: pieces of work that wait for their time: 65537 (expected: at"
                        + " most 65536 of one node or shard)");
        waiting.forEach(each -> each.cancel(false));
        CountDownLatch ran = new CountDownLatch(1);
        var unused = alarms.after(Duration.ofMillis(1), ran::countDown);
        ran.await();
    }
}
