package io.psf.runtime.spi.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

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

    /** A lambda or a concatenation that runs for the first time is linked, and links fail with errors of their own. */
    @Test
    void aFullHeapWithinAnotherErrorIsTold() {
        OutOfMemoryError heap = new OutOfMemoryError("Java heap space");
        FullHeap.report(new InternalError(heap));
        FullHeap.report(new BootstrapMethodError(new InternalError(heap)));
        FullHeap.report(new BootstrapMethodError(new IllegalStateException(heap)));
        assertThat(told).containsExactly(heap, heap);
    }

    /** The error that the JVM keeps names the first failure in words alone. */
    @Test
    void aClassThatLackedMemoryForItsInitializationIsTold() {
        NoClassDefFoundError later = catchThrowableOfType(NoClassDefFoundError.class, () -> {
            assertThatThrownBy(Uninitialized::touch).isInstanceOf(OutOfMemoryError.class);
            Uninitialized.touch();
        });
        FullHeap.report(later);
        FullHeap.report(new NoClassDefFoundError("Could not initialize class acme.Model"));
        assertThat(told).singleElement().isInstanceOf(OutOfMemoryError.class);
    }

    private static final class Uninitialized {
        static {
            if (System.nanoTime() != 0) {
                throw new OutOfMemoryError("Java heap space");
            }
        }

        static void touch() {}
    }
}
