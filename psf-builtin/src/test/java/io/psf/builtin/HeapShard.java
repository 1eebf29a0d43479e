package io.psf.builtin;

import io.psf.api.CallInfo;
import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.Role;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Attachments;
import io.psf.api.spi.Caller;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;

/** A shard on the heap, without a server: one slice of a tensor, and the workers as the test says. */
public final class HeapShard implements Shard {
    private final TensorInfo tensor;
    private final Range range;
    private final Optimizer optimizer;
    private final FloatArray values;
    private final Map<String, FloatArray> slots = new HashMap<>();
    private final Attachments attachments;
    private List<Member> members = List.of(new Member(Role.SERVER, 9, "127.0.0.1", 1));
    private int caller;
    private IntConsumer onRelease = worker -> {};

    public HeapShard(long tensorRows, Range range, int width, Optimizer optimizer) {
        this.tensor = new TensorInfo(TensorId.of("w"), tensorRows, width);
        this.range = range;
        this.attachments = new Attachments(this);
        this.optimizer = optimizer;
        this.values = FloatArray.allocate((int) range.length() * width);
    }

    /** A shard that is a whole tensor. */
    public static HeapShard whole(int rows, int width, Optimizer optimizer) {
        return new HeapShard(rows, new Range(0, rows), width, optimizer);
    }

    /** The next calls are this worker's. */
    public HeapShard from(int worker) {
        caller = worker;
        return this;
    }

    /** Who the workers are from now on; attachments that listen are told. */
    public HeapShard workers(int... ranks) {
        List<Member> now = new ArrayList<>();
        now.add(new Member(Role.SERVER, 9, "127.0.0.1", 1));
        for (int rank : ranks) {
            now.add(new Member(Role.WORKER, rank, "", 0));
        }
        members = List.copyOf(now);
        for (Object attachment : attachments.all()) {
            if (attachment instanceof MemberListener listener) {
                listener.membersChanged(members);
            }
        }
        return this;
    }

    @Override
    public Range range() {
        return range;
    }

    @Override
    public int rows() {
        return (int) range.length();
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
    public FloatArray values(long key) {
        return values.slice(row(key) * width(), (row(key) + 1) * width());
    }

    @Override
    public int row(long key) {
        if (!range.contains(key)) {
            throw new PsException(PsException.Code.OUT_OF_RANGE, "key: " + key + " (expected: a row in " + range + ")");
        }
        return (int) (key - range.begin());
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
        return slots.computeIfAbsent(name, n -> FloatArray.allocate(rows() * width));
    }

    @Override
    public Map<String, FloatArray> slots() {
        return slots;
    }

    @Override
    public FloatArray allocate(int n) {
        FloatArray scratch = FloatArray.allocate(n);
        scratch.fill(Float.NaN);
        return scratch;
    }

    @Override
    public Shard other(TensorId other) {
        throw new PsException(PsException.Code.BAD_REQUEST, "tensor " + other + ": not there");
    }

    @Override
    public Optimizer optimizer() {
        return optimizer;
    }

    @Override
    public Caller caller() {
        throw new UnsupportedOperationException("caller (expected: a shard of a cluster)");
    }

    @Override
    public Future<?> after(Duration delay, Runnable work) {
        throw new UnsupportedOperationException("after: " + delay + " (expected: a shard of a cluster)");
    }

    @Override
    public CallInfo call() {
        return new CallInfo(caller, 0, 0);
    }

    /** Told the worker of each request that is given back before its answer. */
    public void onRelease(IntConsumer told) {
        onRelease = told;
    }

    @Override
    public Runnable requestRelease() {
        int worker = caller;
        return () -> onRelease.accept(worker);
    }

    @Override
    public List<Member> members() {
        return members;
    }

    @Override
    public Attachments attachments() {
        return attachments;
    }

    @Override
    public Path checkpoints() {
        throw new PsException(PsException.Code.CONFIGURATION, "directory for checkpoints: none");
    }
}
