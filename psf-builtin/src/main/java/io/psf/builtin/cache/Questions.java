package io.psf.builtin.cache;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.api.array.LongArray;
import org.jspecify.annotations.Nullable;

/** The rows that a cache compares with the servers' rows, in one call. */
final class Questions {
    private final SyncEmbeddingPsf.Stub sync;
    private final TensorId table;
    private final long bound;
    private final Traffic traffic;
    private final long[] keys;
    private final long[] versions;
    private int n;
    private @Nullable Pending<SyncEmbedding.Response> inFlight;

    Questions(Caller worker, TensorId table, int most, long bound, Traffic traffic) {
        this.sync = SyncEmbeddingPsf.stub(worker);
        this.table = table;
        this.bound = bound;
        this.traffic = traffic;
        this.keys = new long[most];
        this.versions = new long[most];
    }

    /** Discards the rows. Must not be called while a call is in flight. */
    void clear() {
        n = 0;
    }

    void add(long key, long version) {
        keys[n] = key;
        versions[n++] = version;
    }

    int size() {
        return n;
    }

    long key(int i) {
        return keys[i];
    }

    /** Sends the call, unless there are no rows. */
    void send() {
        if (n > 0) {
            traffic.asked(n);
            inFlight = sync.call(table, LongArray.wrap(keys, 0, n), LongArray.wrap(versions, 0, n), bound);
        }
    }

    boolean isInFlight() {
        return inFlight != null;
    }

    /** Returns the rows that are missing or stale; null if no call is in flight. */
    SyncEmbedding.@Nullable Response await() {
        Pending<SyncEmbedding.Response> pending = inFlight;
        if (pending == null) {
            return null;
        }
        inFlight = null;
        SyncEmbedding.Response response = pending.await();
        traffic.answered(response.keys().length());
        return response;
    }
}
