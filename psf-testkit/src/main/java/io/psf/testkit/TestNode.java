package io.psf.testkit;

import io.psf.api.CallInfo;
import io.psf.api.Member;
import io.psf.api.Node;
import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A server or a scheduler for functions that run on whole nodes. A server of a test holds one slice of each tensor. */
final class TestNode implements Node, TestPlace {
    private static final CallInfo NO_CALL = new CallInfo(-1, 0, 0);

    private final Role role;
    private final int rank;
    private final List<Member> members;
    private final TestClock clock;
    private final @Nullable Path checkpoints;
    private final List<TestShard> shards = new ArrayList<>();
    private final Map<String, Object> attachments = new HashMap<>();
    private CallInfo call = NO_CALL;

    TestNode(Role role, int rank, List<Member> members, TestClock clock, @Nullable Path checkpoints) {
        this.role = role;
        this.rank = rank;
        this.members = members;
        this.clock = clock;
        this.checkpoints = checkpoints;
    }

    @Override
    public void begin(CallInfo call, boolean readOnly) {
        this.call = call;
    }

    @Override
    public void end() {
        this.call = NO_CALL;
    }

    @Override
    public String label() {
        return role.label() + " " + rank;
    }

    void add(TestShard shard) {
        shards.add(shard);
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
        return members;
    }

    @Override
    public CallInfo call() {
        return call;
    }

    @Override
    public Collection<ShardInfo> shards() {
        return shards.stream()
                .map(shard -> new ShardInfo(shard.spec(), shard.slice(), shard.range()))
                .toList();
    }

    @Override
    public boolean create(TensorInfo tensor, int slice, Range range, Optimizer optimizer, Fill fill) {
        if (shards.stream().anyMatch(shard -> shard.spec().id().equals(tensor.id()) && shard.slice() == slice)) {
            return false;
        }
        TestShard shard = new TestShard(tensor, slice, range, optimizer, fill, members, Map.of(), checkpoints);
        fill.fill(shard);
        shards.add(shard);
        return true;
    }

    @Override
    public int drop(TensorId tensor) {
        int before = shards.size();
        shards.removeIf(shard -> shard.spec().id().equals(tensor));
        return before - shards.size();
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
        return clock.after(delay, work);
    }

    @Override
    public Path checkpoints() {
        return require(checkpoints);
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
