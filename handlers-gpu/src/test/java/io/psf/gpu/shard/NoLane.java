package io.psf.gpu.shard;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.Member;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.runtime.spi.shard.MadeShard;
import io.psf.runtime.spi.shard.ShardLane;
import io.psf.runtime.spi.shard.Slice;
import io.psf.runtime.spi.store.Store;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;

/** The lane of a shard without a server: it has scratch memory, and nothing else. */
final class NoLane implements ShardLane {
    private final FloatArray scratch;

    NoLane(FloatArray scratch) {
        this.scratch = scratch;
    }

    /** Returns the same memory each time. */
    @Override
    public FloatArray allocate(int n) {
        return scratch.slice(0, n);
    }

    @Override
    public boolean beforeAnswer(Runnable work) {
        return false;
    }

    @Override
    public long turn() {
        return 0;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public void requireMayChange(String what) {}

    @Override
    public CallInfo call() {
        throw none("call");
    }

    @Override
    public Caller caller() {
        throw none("caller");
    }

    @Override
    public Future<?> after(Duration delay, Runnable work) {
        throw none("delayed work");
    }

    @Override
    public Shard other(TensorId tensor) {
        throw none("other shard");
    }

    @Override
    public Runnable requestRelease() {
        throw none("request");
    }

    @Override
    public List<Member> members() {
        return List.of();
    }

    @Override
    public Path checkpoints() {
        throw none("folder for checkpoints");
    }

    @Override
    public MadeShard inHostMemory(Slice slice, Store store) {
        throw none("host memory");
    }

    @Override
    public int[] allocateRows(int n) {
        throw none("scratch memory");
    }

    private static UnsupportedOperationException none(String what) {
        return new UnsupportedOperationException("a shard without a server has no " + what);
    }
}
