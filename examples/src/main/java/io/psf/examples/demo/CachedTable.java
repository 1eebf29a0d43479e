package io.psf.examples.demo;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.EmbeddingCache;
import java.util.List;

/** A table whose frequent rows are cached in the worker. */
record CachedTable(EmbeddingCache cache) implements ModelTable {
    @Override
    public TensorId tensor() {
        return cache.table();
    }

    @Override
    public void pull(long[] keys, float[] into, List<Pending<?>> calls) {
        cache.lookUp(keys, into);
    }

    @Override
    public void prefetch(long[] keys) {
        cache.prefetch(keys);
    }

    @Override
    public void push(long[] keys, float[] gradients, List<Pending<?>> calls) {
        cache.update(keys, gradients);
    }

    @Override
    public void flush() {
        cache.flush();
    }
}
