package io.psf.builtin.cache;

import io.psf.api.Caller;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.sparse.SparsePull;
import io.psf.builtin.sparse.SparsePullPsf;
import java.util.Arrays;

/**
 * The same calls without a cache, for comparison. An update is counted in the versions, so that the caches of other
 * workers receive it. The answer of each call is awaited.
 */
public final class UncachedRows implements RowAccess {
    private final TensorInfo table;
    private final SparsePullPsf.Stub pull;
    private final PushEmbeddingPsf.Stub push;
    private final Traffic traffic;

    /** Sends nothing. */
    public UncachedRows(Caller worker, TensorInfo table) {
        this.table = table;
        this.pull = SparsePullPsf.stub(worker);
        this.push = PushEmbeddingPsf.stub(worker);
        this.traffic = new Traffic(table);
    }

    @Override
    public void lookUp(long[] keys, float[] into) {
        RowAccess.require(table, keys, "into", into);
        var unused = pull.call(table.id(), LongArray.wrap(keys), new SparsePull.Response(FloatArray.wrap(into)))
                .await();
        int n = distinct(keys);
        traffic.lookedUp(n);
        traffic.fetched(n, n);
        traffic.pulled(n);
    }

    @Override
    public void update(long[] keys, float[] gradients) {
        RowAccess.require(table, keys, "gradients", gradients);
        int[] once = new int[keys.length];
        Arrays.fill(once, 1);
        var unused = push.call(table.id(), LongArray.wrap(keys), FloatArray.wrap(gradients), IntArray.wrap(once))
                .await();
        int n = distinct(keys);
        traffic.updated(n);
        traffic.pushed(n);
    }

    @Override
    public void prefetch(long[] keys) {
        RowAccess.requireRows(table, keys);
    }

    @Override
    public void flush() {}

    @Override
    public CacheCounters counters() {
        return traffic.counters();
    }

    private static int distinct(long[] keys) {
        return (int) Arrays.stream(keys).distinct().count();
    }
}
