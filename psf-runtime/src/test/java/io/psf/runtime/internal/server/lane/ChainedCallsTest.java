package io.psf.runtime.internal.server.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.runtime.spi.transport.FramePool;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Long chains on one lane. */
@Timeout(60)
final class ChainedCallsTest {
    private static final int LONG = 200_000;

    private final CallSource worker = new RecordedCall.Always();
    private final List<String> ran = new ArrayList<>();

    private List<RecordedCall> calls(String name, long arrival, CallOrder order) {
        return IntStream.range(0, LONG)
                .mapToObj(i -> new RecordedCall(name, worker, arrival + i, order, null, ran))
                .toList();
    }

    /** To compare each call of one with each of the other takes minutes. */
    @Test
    void oneWithAPriorityPassesAnotherOneByItsShardsAlone() throws InterruptedException {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        try (Lane lane = new Lane("lane", new FramePool(0))) {
            lane.execute(() -> {
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            lane.execute(new ChainedCalls(calls("a", 0, new CallOrder(lane)), lane), 0);
            lane.execute(new ChainedCalls(calls("b", LONG, new CallOrder(lane)), lane), 1);
            lane.execute(done::countDown);
            goOn.countDown();
            done.await();
        }
        assertThat(ran).hasSize(2 * LONG);
        assertThat(ran.get(0)).isEqualTo("b");
        assertThat(ran.get(LONG)).isEqualTo("a");
    }
}
