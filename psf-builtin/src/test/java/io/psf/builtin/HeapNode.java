package io.psf.builtin;

import io.psf.api.CallInfo;
import io.psf.api.Member;
import io.psf.api.Node;
import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.spi.Caller;
import io.psf.api.spi.TensorLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;

/** A server without a cluster, whose shards lie on the heap. */
public final class HeapNode implements Node {
    private final int rank;
    /** By slice; of one tensor. */
    public final Map<Integer, HeapShard> made = new TreeMap<>();

    public HeapNode(int rank) {
        this.rank = rank;
    }

    /** The shard of a slice that is there. */
    public HeapShard shard(int slice) {
        return Objects.requireNonNull(made.get(slice));
    }

    @Override
    public Role role() {
        return Role.SERVER;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public List<Member> members() {
        return List.of();
    }

    @Override
    public CallInfo call() {
        return new CallInfo(0, 0, 0);
    }

    @Override
    public Collection<ShardInfo> shards() {
        return List.of();
    }

    @Override
    public <T> CompletionStage<List<T>> onShards(TensorId tensor, Function<? super Shard, ? extends T> work) {
        throw new UnsupportedOperationException("onShards: " + tensor + " (expected: a node of a cluster)");
    }

    @Override
    public Caller caller() {
        throw new UnsupportedOperationException("caller (expected: a node of a cluster)");
    }

    @Override
    public boolean create(TensorLayout layout, int slice, Optimizer optimizer, Fill fill) {
        if (made.containsKey(slice)) {
            return false;
        }
        HeapShard shard = new HeapShard(
                layout.info().rows(), layout.range(slice), layout.info().width(), optimizer);
        fill.fill(shard);
        made.put(slice, shard);
        return true;
    }

    @Override
    public int drop(TensorId tensor) {
        int dropped = made.size();
        made.clear();
        return dropped;
    }

    @Override
    public <T> T attachment(String key, Class<T> type, Supplier<? extends T> factory) {
        return factory.get();
    }

    @Override
    public Future<?> after(Duration delay, Runnable work) {
        throw new UnsupportedOperationException("after: " + delay + " (expected: a node of a cluster)");
    }

    @Override
    public Path checkpoints() {
        throw new PsException(PsException.Code.CONFIGURATION, "directory for checkpoints: none");
    }
}
