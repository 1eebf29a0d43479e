package io.psf.testkit;

import io.psf.api.Caller;
import io.psf.api.Member;
import io.psf.api.Node;
import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.FolderStore;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.node.Declarations;
import io.psf.runtime.internal.server.node.HostNode;
import io.psf.runtime.internal.server.node.LaneShard;
import io.psf.runtime.internal.server.node.Recovery;
import io.psf.runtime.internal.server.shard.Placements;
import io.psf.runtime.internal.store.Stores;
import io.psf.runtime.spi.store.MemoryLimit;
import io.psf.runtime.spi.transport.FramePool;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The nodes of a test: the nodes of a cluster, on one lane that the test runs. */
final class TestNodes {
    private final Lane lane;
    private final Caller onward;
    private final HostNode scheduler;
    private final List<HostNode> servers = new ArrayList<>();
    private final Map<LaneShard, TestShard> shown = new HashMap<>();

    /**
     * Creates the nodes of a cluster.
     *
     * @param members all nodes except the scheduler
     * @param onward the caller for handlers
     * @param checkpoints the checkpoint directory; null for none
     */
    TestNodes(
            TestLane runner,
            List<Member> members,
            Caller onward,
            Declarations declarations,
            @Nullable Path checkpoints) {
        this.lane = new Lane("psf-test", new FramePool(0), runner);
        this.onward = onward;
        this.scheduler = node(Role.SCHEDULER, 0, members, declarations, checkpoints);
        for (Member member : members) {
            if (member.role() == Role.SERVER) {
                servers.add(node(Role.SERVER, member.rank(), members, declarations, checkpoints));
            }
        }
    }

    /** Creates one server without a cluster, for the tests of a shard that call no function. */
    static TestNodes alone() {
        return new TestNodes(
                new TestLane(),
                List.of(new Member(Role.SERVER, 0, "test", 1)),
                new Caller() {}, // no handler runs that could call it
                (names, epoch) -> CompletableFuture.failedFuture(new PsException(
                        PsException.Code.UNKNOWN_TENSOR, "tensors: " + names + " (expected: none, without a cluster)")),
                null);
    }

    private HostNode node(
            Role role, int rank, List<Member> members, Declarations declarations, @Nullable Path checkpoints) {
        HostNode node = new HostNode(
                "psf-test",
                role,
                Placements.host(Stores.inMemory(MemoryLimit.NONE)),
                lane,
                List.of(lane),
                checkpoints == null ? null : new FolderStore(checkpoints));
        node.setRank(rank);
        node.setMembers(members);
        node.setDeclarations(declarations);
        node.setCaller(onward);
        node.setRecovery(Recovery.none((int)
                members.stream().filter(each -> each.role() == Role.SERVER).count()));
        return node;
    }

    TestTarget scheduler() {
        return new TestTarget(onward, scheduler, null);
    }

    TestTarget server(int rank) {
        return new TestTarget(onward, servers.get(rank), null);
    }

    /** Returns all servers, in the order of the ranks. */
    List<TestTarget> servers() {
        return servers.stream().map(node -> new TestTarget(onward, node, null)).toList();
    }

    TestTarget target(TestShard shard) {
        return new TestTarget(onward, shard.node(), shard);
    }

    /** Creates a shard on the server of its slice. */
    void create(TensorLayout layout, int slice, Optimizer optimizer, Node.Fill fill) {
        HostNode server = servers.get(layout.server(slice));
        server.handled().create(layout, slice, optimizer, fill);
        server.end(); // gives back what was promised to the other slices
    }

    /** Returns the shard of a slice; null if no server has it. */
    @Nullable
    TestShard find(TensorId tensor, int slice) {
        for (HostNode server : servers) {
            LaneShard shard = server.held().get(tensor.number(), slice);
            if (shard != null) {
                return shown.computeIfAbsent(shard, of -> new TestShard(server, of));
            }
        }
        return null;
    }
}
