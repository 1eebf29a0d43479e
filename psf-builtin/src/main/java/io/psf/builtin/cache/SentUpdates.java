package io.psf.builtin.cache;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import org.jspecify.annotations.Nullable;

/**
 * The updates on their way to the servers. One push is in flight while the next one is collected. A server runs the
 * calls of one worker in their order, so a row that is requested after a push has the push applied.
 *
 * <p>A push is one call, which the servers of its rows run exactly once. If it fails, it is not known which of them
 * have run it. Its updates can be neither dropped nor sent again, so no other push is accepted.
 */
final class SentUpdates {
    /** The floats of a push: 1 MB. */
    private static final int FLOATS = 1 << 18;

    /** The arrays of a push. */
    private static final class Rows {
        final long[] keys;
        final float[] gradients;
        final int[] updates;

        Rows(int n, int width) {
            keys = new long[n];
            gradients = new float[n * width];
            updates = new int[n];
        }
    }

    private final PushEmbeddingPsf.Stub push;
    private final TensorId table;
    private final int width;
    private final int most;
    private final Traffic traffic;
    /** The rows that are collected. */
    private Rows rows;
    /** The rows that are in flight, or free. */
    private Rows others;

    private int n;
    private @Nullable Pending<PushEmbedding.Response> inFlight;
    private @Nullable PsException failure;

    SentUpdates(Caller worker, TensorId table, int lines, int width, Traffic traffic) {
        this.push = PushEmbeddingPsf.stub(worker);
        this.table = table;
        this.width = width;
        this.most = Math.min(lines, Math.max(1, FLOATS / width));
        this.traffic = traffic;
        this.rows = new Rows(most, width);
        this.others = new Rows(most, width);
    }

    /**
     * Requires that no push has failed.
     *
     * @throws PsException with the code of the failure
     */
    void requireIntact() {
        if (failure != null) {
            throw new PsException(
                    failure.code(),
                    "a push of the cache on tensor \"" + table + "\" has failed, and it is not known which servers have"
                            + " applied it (expected: a new cache, on a table loaded from a checkpoint): "
                            + failure.getMessage(),
                    failure);
        }
    }

    /** Takes the unsent updates of a line. Sends the collected rows if there are enough. */
    void add(Lines lines, int line) {
        if (n == most) {
            send();
        }
        rows.keys[n] = lines.key(line);
        rows.updates[n] = lines.updates(line);
        lines.copyUnsent(line, rows.gradients, n * width);
        n++;
        lines.clearUnsent(line);
    }

    /** Sends the collected rows, once the push in flight is answered. */
    void send() {
        if (n == 0) {
            return;
        }
        await();
        requireIntact();
        try {
            inFlight = push.call(
                    table,
                    LongArray.wrap(rows.keys, 0, n),
                    FloatArray.wrap(rows.gradients, 0, n * width),
                    IntArray.wrap(rows.updates, 0, n));
        } catch (PsException e) {
            failure = e;
            throw e;
        }
        traffic.pushed(n);
        n = 0;
        Rows free = others;
        others = rows;
        rows = free;
    }

    /** Waits for the push in flight. */
    void await() {
        Pending<PushEmbedding.Response> pending = inFlight;
        if (pending != null) {
            inFlight = null;
            try {
                var unused = pending.await();
            } catch (PsException e) {
                failure = e;
                throw e;
            }
        }
    }
}
