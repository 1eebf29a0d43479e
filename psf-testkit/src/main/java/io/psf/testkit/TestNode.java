package io.psf.testkit;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.DeclaredTensor;
import io.psf.api.Member;
import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.RequestListener;
import io.psf.api.Role;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.StoredNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A server or the scheduler, for functions that run on whole nodes. A server of a test holds one slice of each tensor.
 */
final class TestNode extends TestPlace implements StoredNode {
    private final Role role;
    private final int rank;
    private final TestPlaces places;
    private final List<TestShard> shards = new ArrayList<>();
    private final Map<String, Object> attachments = new HashMap<>();
    private boolean serving;
    /** The function that is being handled; empty for none. */
    private String function = "";

    private CallInfo call = NO_CALL;

    TestNode(Role role, int rank, TestPlaces places) {
        this.role = role;
        this.rank = rank;
        this.places = places;
    }

    @Override
    void begin(CallInfo call, FunctionInfo function) {
        this.call = call;
        this.function = function.name();
        places.reading().begin(reading(function));
        this.serving = true;
    }

    @Override
    void end() {
        this.call = NO_CALL;
        this.function = "";
        places.reading().end();
        this.serving = false;
    }

    @Override
    String label() {
        return role.label() + " " + rank;
    }

    @Override
    public Role role() {
        return role;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public List<Member> members() {
        return places.members();
    }

    @Override
    public CallInfo call() {
        return call;
    }

    @Override
    public Collection<ShardInfo> shards() {
        return shards.stream()
                .filter(shard -> !shard.isMemory())
                .map(shard -> new ShardInfo(shard.spec(), shard.slice(), shard.range(), HOST))
                .toList();
    }

    @Override
    public <T> CompletionStage<List<T>> onShards(TensorId tensor, Function<? super Shard, ? extends T> work) {
        requireMayUse(tensor);
        List<TestShard> held = shards.stream()
                .filter(shard -> shard.spec().id().equals(tensor))
                .sorted(Comparator.comparingInt(TestShard::slice))
                .toList();
        return new TestOnShards<T>(held, work, call, places.reading().function()).start(places.lane());
    }

    private void requireMayUse(TensorId tensor) {
        if (!function.isEmpty()) {
            shards.stream()
                    .filter(shard -> shard.spec().id().equals(tensor))
                    .forEach(shard -> shard.requireUsableBy(function));
        }
    }

    @Override
    public Caller caller() {
        if (role != Role.SERVER) {
            throw new IllegalStateException("caller of " + label() + ": none (expected: asked for on a server)");
        }
        return requireServing(serving, places);
    }

    /** Returns the caller of a handler; one of a read-only function calls read-only functions alone. */
    static Caller requireServing(boolean serving, TestPlaces places) {
        if (!serving) {
            throw new IllegalStateException(
                    "call being answered: none (expected: asked for within handle, before it returns)");
        }
        String reading = places.reading().function();
        return reading == null ? places.onward() : new ReadingCaller(reading, places.onward());
    }

    @Override
    public boolean create(TensorLayout layout, int slice, String placement, Optimizer optimizer, Fill fill) {
        TensorInfo tensor = layout.info();
        places.reading().requireMayChange("a new shard of tensor \"" + tensor.id() + "\"");
        requireMayUse(tensor.id());
        if (Arrays.stream(placement.split(",")).map(String::strip).noneMatch(HOST::equals)) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "placement of tensor \"" + tensor.id() + "\": \"" + placement
                            + "\" (expected: one that this server has: " + HOST + ")");
        }
        if (shards.stream().anyMatch(shard -> shard.spec().id().equals(tensor.id()) && shard.slice() == slice)) {
            return false;
        }
        TestShard shard = new TestShard(layout, slice, optimizer, fill, places);
        fill.fill(shard);
        shards.add(shard);
        places.tensors().add(shard);
        return true;
    }

    @Override
    public int drop(TensorId tensor) {
        places.reading().requireMayChange("clearing of tensor \"" + tensor + "\"");
        requireMayUse(tensor);
        List<TestShard> dropped = shards.stream()
                .filter(shard -> shard.spec().id().equals(tensor))
                .toList();
        shards.removeAll(dropped);
        dropped.forEach(shard -> {
            shard.drop();
            places.tensors().remove(shard);
        });
        return dropped.size();
    }

    @Override
    public <T> T attachment(String key, Class<T> type, Supplier<? extends T> factory) {
        Object made = attachments.get(key);
        if (made == null) {
            made = factory.get();
            attachments.put(key, made);
        }
        return type.cast(made);
    }

    @Override
    public Future<?> after(Duration delay, Runnable work) {
        return places.clock().after(delay, work);
    }

    @Override
    public Path checkpoints() {
        return require(places.checkpoints());
    }

    @Override
    public CompletionStage<List<DeclaredTensor>> declared(List<TensorId> tensors, long epoch) {
        return CompletableFuture.completedStage(
                tensors.stream().map(places.tensors()::declared).toList());
    }

    @Override
    public void listen(RequestListener listener) {}

    @Override
    public ClassLoader classPath() {
        return Thread.currentThread().getContextClassLoader();
    }

    static Path require(@Nullable Path checkpoints) {
        if (checkpoints == null) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "directory for checkpoints: none (expected: one that the test gives, with checkpoints(..))");
        }
        return checkpoints;
    }
}
