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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** The lane of a shard without a server: it has scratch memory, and nothing else. */
final class NoLane implements ShardLane {
    private final FloatArray scratch;
    /** The work of the calls of a chain that runs; null if no chain does. */
    private @Nullable List<Runnable> putOff;

    private int taken;
    private int turn;

    NoLane(FloatArray scratch) {
        this.scratch = scratch;
    }

    /** Begins a chain: its calls put work off, and have memory of their own. */
    void beginChain() {
        putOff = new ArrayList<>();
    }

    /** Ends a chain. Returns the work that its calls have put off. */
    List<Runnable> endChain() {
        List<Runnable> all = Objects.requireNonNull(putOff);
        putOff = null;
        taken = 0;
        turn++;
        return all;
    }

    /** Returns the same memory each time, unless a chain runs. */
    @Override
    public FloatArray allocate(int n) {
        if (putOff == null) {
            return scratch.slice(0, n);
        }
        int begin = taken;
        taken += (n + 3) & ~3;
        return scratch.slice(begin, begin + n);
    }

    @Override
    public boolean beforeAnswer(Runnable work) {
        return putOff != null && putOff.add(work);
    }

    @Override
    public long turn() {
        return turn;
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
