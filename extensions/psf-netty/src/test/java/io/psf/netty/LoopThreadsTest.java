package io.psf.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

final class LoopThreadsTest {
    private static List<Throwable> reported(boolean isClosed) throws InterruptedException {
        List<Throwable> reported = new CopyOnWriteArrayList<>();
        Thread thread = new LoopThreads(() -> isClosed).newThread(() -> {});
        thread.setUncaughtExceptionHandler((of, failure) -> reported.add(failure));
        thread.start();
        thread.join();
        return reported;
    }

    @Test
    void aLoopThatEndsBeforeItsTransportIsReported() throws Exception {
        assertThat(reported(false)).singleElement().isInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void aLoopOfAClosedTransportEndsWithoutAReport() throws Exception {
        assertThat(reported(true)).isEmpty();
    }
}
