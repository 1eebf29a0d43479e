package io.psf.runtime.internal.server.node;

import io.psf.api.TensorLayout;
import io.psf.runtime.internal.server.shard.Placements;
import io.psf.runtime.spi.shard.Slice;

/**
 * The memory of a tensor's slices on a node, which is promised before the first of them is made: a tensor that does not
 * fit is refused before any memory is touched. Used by the thread that creates shards.
 */
final class PromisedMemory {
    private final Placements placements;
    private long left;

    PromisedMemory(Placements placements) {
        this.placements = placements;
    }

    /**
     * Promises the memory of all slices of a tensor that a server owns. A growing table takes its memory as it grows.
     *
     * @param first the first slice that is made
     * @param rank the rank of the server
     * @throws io.psf.api.PsException with {@code RESOURCE_EXHAUSTED} or {@code STORAGE} if there is not as much
     */
    void begin(TensorLayout layout, Slice first, int rank) {
        end();
        if (first.tensor().grows() || !placements.isFirstOnHost(first)) {
            return;
        }
        long bytes = 0;
        int slices = 0;
        for (int slice = 0; slice < layout.slices(); slice++) {
            if (layout.server(slice) == rank) {
                bytes = sum(bytes, bytes(first, layout.range(slice).length()));
                slices++;
            }
        }
        placements.promise("tensor \"" + first.tensor().id() + "\", " + slices + " slices here", bytes);
        left = bytes;
    }

    /** Gives back the part of a slice, whose memory is allocated next. */
    void use(Slice slice) {
        if (left > 0) {
            giveBack(Math.min(left, bytes(slice, slice.range().length())));
        }
    }

    /** Gives back what was not used: the call that creates shards has ended. */
    void end() {
        if (left > 0) {
            giveBack(left);
        }
    }

    private void giveBack(long bytes) {
        left -= bytes;
        placements.endPromise(bytes);
    }

    private static long bytes(Slice slice, long rows) {
        long ofRow = (long) slice.tensor().width() * slice.tensor().types().bytes();
        return rows > Long.MAX_VALUE / ofRow ? Long.MAX_VALUE : rows * ofRow;
    }

    private static long sum(long a, long b) {
        return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
    }
}
