package io.psf.builtin.internal.allreduce;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.Member;
import io.psf.api.Optimizer;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * A whole tensor on the heap of a worker, for optimizers: the same {@link Optimizer} that steps a server's shard steps
 * it. It is on no lane: it makes no calls, schedules no work and has no members. Used by one thread at a time.
 */
public final class LocalShard implements Shard {
    private final TensorInfo tensor;
    private final Optimizer optimizer;
    private final FloatArray values;
    private final Map<String, FloatArray> slots = new HashMap<>();
    private final Map<Class<?>, Object> attachments = new HashMap<>();

    /**
     * Creates the tensor.
     *
     * @param values [rows, width] float32; changed by the optimizer
     */
    public LocalShard(TensorInfo tensor, Optimizer optimizer, float[] values) {
        this.tensor = tensor;
        this.optimizer = optimizer;
        this.values = FloatArray.wrap(values);
    }

    @Override
    public Range range() {
        return new Range(0, tensor.rows());
    }

    @Override
    public int rows() {
        return (int) tensor.rows();
    }

    @Override
    public int width() {
        return tensor.width();
    }

    @Override
    public int slice() {
        return 0;
    }

    @Override
    public TensorInfo spec() {
        return tensor;
    }

    @Override
    public FloatArray values() {
        return values;
    }

    @Override
    public int row(long key) {
        return (int) Objects.checkIndex(key, tensor.rows());
    }

    @Override
    public int[] rows(LongArray keys) {
        int[] rows = new int[keys.length()];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = row(keys.get(i));
        }
        return rows;
    }

    @Override
    public FloatArray slot(String name, int width) {
        return slots.computeIfAbsent(name, n -> FloatArray.wrap(new float[Math.multiplyExact(rows(), width)]));
    }

    /** Returns the slots that have been requested, by name. */
    public Map<String, FloatArray> slots() {
        return Collections.unmodifiableMap(slots);
    }

    @Override
    public FloatArray allocate(int n) {
        return FloatArray.allocate(n);
    }

    @Override
    public Optimizer optimizer() {
        return optimizer;
    }

    @Override
    public Shard other(TensorId other) {
        throw absent();
    }

    @Override
    public CallInfo call() {
        throw absent();
    }

    @Override
    public Caller caller() {
        throw absent();
    }

    @Override
    public Future<?> after(Duration delay, Runnable work) {
        throw absent();
    }

    private static IllegalStateException absent() {
        return new IllegalStateException("a shard of a worker (expected: a shard of a server)");
    }

    @Override
    public List<Member> members() {
        return List.of();
    }

    @Override
    public <T> T attachment(Class<T> type, Supplier<? extends T> factory) {
        return type.cast(attachments.computeIfAbsent(type, t -> factory.get()));
    }
}
