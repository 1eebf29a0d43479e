package io.psf.runtime.spi.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FullHeapTest {
    private final List<Throwable> told = new CopyOnWriteArrayList<>();
    private Thread.UncaughtExceptionHandler before;

    @BeforeEach
    void listen() {
        before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> told.add(failure));
    }

    @AfterEach
    void restore() {
        Thread.setDefaultUncaughtExceptionHandler(before);
    }

    /** A thread of the common pool keeps its handler in newer JDKs, whoever sets another one. */
    @Test
    void thePreparationTellsNobody() {
        FullHeap.prepare();
        CompletableFuture.runAsync(FullHeap::prepare).join();
        assertThat(told).isEmpty();
    }

    @Test
    void aFullHeapIsToldAndOtherLacksAreNot() {
        OutOfMemoryError heap = new OutOfMemoryError("Java heap space");
        FullHeap.report(heap);
        FullHeap.report(new OutOfMemoryError("Cannot reserve 8 bytes of direct buffer memory"));
        FullHeap.report(new IllegalStateException());
        assertThat(told).containsExactly(heap);
    }
}
