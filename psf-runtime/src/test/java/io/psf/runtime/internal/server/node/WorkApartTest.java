package io.psf.runtime.internal.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkApartTest {
    private final WorkApart apart = new WorkApart();

    @Test
    void theEndWaitsForWorkThatRuns() throws InterruptedException {
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicBoolean isDone = new AtomicBoolean();
        apart.run(
                () -> {
                    awaitQuietly(mayEnd);
                    isDone.set(true);
                },
                task -> new Thread(task).start());
        AtomicBoolean wasDone = new AtomicBoolean();
        Thread end = new Thread(() -> {
            apart.awaitEnd();
            wasDone.set(isDone.get());
        });
        end.start();
        mayEnd.countDown();
        end.join();
        assertThat(wasDone).isTrue();
        apart.awaitEnd();
    }

    /** The system may have no thread left. */
    @Test
    void workThatDoesNotStartIsNotAwaited() {
        assertThatThrownBy(() -> apart.run(() -> {}, task -> {
                    throw new OutOfMemoryError("unable to create native thread");
                }))
                .isInstanceOf(OutOfMemoryError.class);
        apart.awaitEnd();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
