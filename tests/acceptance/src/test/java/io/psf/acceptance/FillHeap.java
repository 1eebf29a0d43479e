package io.psf.acceptance;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.Reduce;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Fills the heap of a server to the last byte and holds it, so that no thread there can allocate. */
@PsFunction(value = "acceptance.fill", at = Place.SERVER)
interface FillHeap {
    /**
     * A block of the chain that fills the heap: it is part of its own link, so that nothing else has to be allocated.
     */
    final class Block {
        final @Nullable Block next;
        final byte[] bytes;

        Block(@Nullable Block next, int size) {
            this.next = next;
            this.bytes = new byte[size];
        }
    }

    /**
     * The time.
     *
     * @param millis how long the heap stays full
     */
    record Request(int millis) {}

    /**
     * The result.
     *
     * @param bytes the memory that the blocks took
     */
    record Response(@Reduce(SUM) long bytes) {}

    default Response handle(Request request, Node node) {
        long bytes = 0;
        int full = 0;
        Block last = null;
        for (int size = 1 << 20; size >= 64; size /= 4) {
            try {
                while (true) {
                    last = new Block(last, size);
                    bytes += size;
                }
            } catch (OutOfMemoryError e) {
                full++; // smaller blocks fill the rest
            }
        }
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(request.millis());
        while (System.nanoTime() - until < 0) {
            LockSupport.parkNanos(1_000_000);
        }
        return new Response(last == null || full == 0 ? 0 : bytes);
    }
}
