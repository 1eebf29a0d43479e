package io.psf.runtime.internal.cluster;

import io.psf.api.DeclaredTensor;
import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.api.spi.Routing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All that the nodes of a cluster must agree on. The scheduler alone makes the next one; the other nodes receive it
 * whole in the answer to their join, and then as {@link ClusterChange differences}. There is one state for each epoch.
 * Immutable.
 *
 * @param epoch the number of changes; 0 before the cluster has formed
 * @param nodes every node that is present except the scheduler and the clients, in {@link #ORDER}
 * @param lost the nodes that counted as lost, in the order of their losses
 * @param owners [{@link Routing#PARTITIONS}], the rank of the server that owns each partition of the keys that belong
 *     to no tensor
 * @param recovery what happens when a lost node comes back
 * @param tensors the declared tensors by their numbers
 */
public record ClusterState(
        long epoch,
        List<ClusterChange.Node> nodes,
        List<ClusterChange.Loss> lost,
        List<Integer> owners,
        ClusterChange.Recovery recovery,
        IntMap<DeclaredTensor> tensors) {
    /** Servers, then workers, by rank. */
    static final Comparator<ClusterChange.Node> ORDER = Comparator.<ClusterChange.Node, Role>comparing(
                    node -> node.member().role())
            .thenComparingInt(node -> node.member().rank());

    /** The state before the cluster has formed. */
    static final ClusterState NONE =
            new ClusterState(0, List.of(), List.of(), List.of(), ClusterChange.Recovery.NONE, IntMap.empty());

    public ClusterState {
        nodes = List.copyOf(nodes);
        lost = List.copyOf(lost);
        owners = List.copyOf(owners);
    }

    /** Returns every node that is present except the scheduler: servers, then workers, by rank. */
    public List<Member> members() {
        return nodes.stream().map(ClusterChange.Node::member).toList();
    }

    /**
     * Returns the nodes that others wait for: the members, and the workers that are awaited in the places of lost ones.
     */
    public List<Member> counted() {
        Stream<ClusterChange.Node> awaited = lost.stream()
                .filter(ClusterChange.Loss::isOfAwaitedWorker)
                .map(loss -> new ClusterChange.Node(loss.member(), 0));
        return Stream.concat(nodes.stream(), awaited)
                .sorted(ORDER)
                .map(ClusterChange.Node::member)
                .toList();
    }

    /** Returns the same without a node. */
    List<Member> countedWithout(Member node) {
        return counted().stream().filter(each -> !each.equals(node)).toList();
    }

    /** True if a worker is present, or awaited. */
    boolean counts(int worker) {
        return node(Role.WORKER, worker) != null
                || lost.stream()
                        .anyMatch(loss ->
                                loss.isOfAwaitedWorker() && loss.member().rank() == worker);
    }

    /** True if the job has workers: some are present, or awaited. */
    boolean hasWorkers() {
        return nodes.stream().anyMatch(node -> node.member().role() == Role.WORKER)
                || lost.stream().anyMatch(ClusterChange.Loss::isOfAwaitedWorker);
    }

    /**
     * Returns the workers that are counted since an earlier state: the same nodes, not others of their ranks. A worker
     * that is awaited, or was and has come back, is counted all the time.
     */
    public List<Member> kept(ClusterState before) {
        Set<ClusterChange.Node> known = new HashSet<>(before.nodes);
        boolean isRolledBack = recovery.rollback() > before.epoch;
        Set<Member> counted = new HashSet<>(before.counted());
        return counted().stream()
                .filter(member ->
                        member.role() == Role.WORKER && (isRolledBack || node(Role.WORKER, member.rank()) == null)
                                ? counted.contains(member)
                                : known.contains(node(member.role(), member.rank())))
                .toList();
    }

    /** Returns the number of nodes of a role that are present. */
    public int count(Role role) {
        return end(role) - (-1 - find(role, Integer.MIN_VALUE));
    }

    /** Returns the highest rank of a worker that is present; -1 for none. */
    int highestWorker() {
        return count(Role.WORKER) == 0
                ? -1
                : nodes.get(end(Role.WORKER) - 1).member().rank();
    }

    /** Returns the index behind the nodes of a role. */
    private int end(Role role) {
        return -1 - find(role, Integer.MAX_VALUE);
    }

    /** Returns the index of a node, or the result of {@link Collections#binarySearch} if there is none. */
    private int find(Role role, int rank) {
        return Collections.binarySearch(nodes, new ClusterChange.Node(new Member(role, rank, "", 0), 0), ORDER);
    }

    /**
     * Returns the ranks of the servers that are present or lost, in order: the servers that a call to all servers is
     * for.
     */
    public List<Integer> servers() {
        return Stream.concat(members().stream(), lost.stream().map(ClusterChange.Loss::member))
                .filter(member -> member.role() == Role.SERVER)
                .map(Member::rank)
                .distinct()
                .sorted()
                .toList();
    }

    /**
     * Returns the number of servers with which the cluster was formed, lost servers and servers that have left
     * included.
     */
    public int formedServers() {
        return 1
                + Stream.concat(owners.stream(), servers().stream())
                        .mapToInt(rank -> rank)
                        .max()
                        .orElse(-1);
    }

    /** Returns the loss of a server that is not present; null if it is present, or has left. */
    public ClusterChange.@Nullable Loss loss(int server) {
        for (ClusterChange.Loss loss : lost) {
            if (loss.member().role() == Role.SERVER && loss.member().rank() == server) {
                return loss;
            }
        }
        return null;
    }

    /** True if a server is not present and is expected to come back. */
    public boolean awaits(int server) {
        ClusterChange.Loss loss = loss(server);
        return loss != null && loss.awaited();
    }

    /** Returns the server of a rank; null if it is not present. */
    public @Nullable Member server(int rank) {
        ClusterChange.Node found = node(Role.SERVER, rank);
        return found == null ? null : found.member();
    }

    /** Returns the node of a role and rank; null if it is not present. */
    public ClusterChange.@Nullable Node node(Role role, int rank) {
        int at = find(role, rank);
        return at < 0 ? null : nodes.get(at);
    }

    /** Returns the rank of the server that owns a key that belongs to no tensor. */
    public int owner(long key) {
        return owners.get(Routing.partition(key));
    }

    /** Returns a tensor; null if it is not declared. */
    public @Nullable DeclaredTensor tensor(TensorId id) {
        DeclaredTensor found = tensors.get(id.number());
        return found != null && found.id().equals(id) ? found : null;
    }

    /** Returns the declared tensors. */
    public List<DeclaredTensor> declared() {
        List<DeclaredTensor> all = new ArrayList<>();
        tensors.forEach(all::add);
        return all;
    }

    /** Distributes the partitions over servers of the ranks from 0. */
    static List<Integer> even(int servers) {
        Integer[] owners = new Integer[Routing.PARTITIONS];
        Arrays.setAll(owners, partition -> partition % servers);
        return List.of(owners);
    }

    /** Returns this state as the difference from none. */
    ClusterChange whole() {
        List<ClusterChange.Placed> all = new ArrayList<>();
        tensors.forEach(tensor -> all.add(ClusterChange.Placed.of(tensor)));
        return new ClusterChange(
                0, epoch, new ClusterChange.Nodes(nodes, List.of(), lost, List.of(), owners, recovery), all, List.of());
    }

    /** Returns the next state. */
    ClusterState with(ClusterChange change) {
        ClusterState before = change.from() == 0 ? NONE : this;
        IntMap<DeclaredTensor> now = before.tensors;
        for (TensorId id : change.forgotten()) {
            now = now.without(id.number());
        }
        for (ClusterChange.Placed placed : change.placed()) {
            DeclaredTensor tensor = placed.tensor();
            now = now.with(tensor.id().number(), tensor);
        }
        ClusterChange.Nodes changed = change.nodes();
        if (changed == null) {
            return new ClusterState(change.epoch(), before.nodes, before.lost, before.owners, before.recovery, now);
        }
        ClusterChange.Recovery changedRecovery = changed.recovery();
        return new ClusterState(
                change.epoch(),
                nodes(before.nodes, changed),
                losses(before.lost, changed),
                changed.owners().isEmpty() ? before.owners : changed.owners(),
                changedRecovery == null ? before.recovery : changedRecovery,
                now);
    }

    /** Applies a difference of nodes: in linear time, since the sort finds the earlier nodes in order. */
    private static List<ClusterChange.Node> nodes(List<ClusterChange.Node> before, ClusterChange.Nodes changed) {
        if (changed.joined().isEmpty() && changed.gone().isEmpty()) {
            return before;
        }
        Set<ClusterChange.Place> over = new HashSet<>(changed.gone());
        changed.joined().forEach(node -> over.add(ClusterChange.Place.of(node.member())));
        List<ClusterChange.Node> now =
                new ArrayList<>(before.size() + changed.joined().size());
        for (ClusterChange.Node node : before) {
            if (!over.contains(ClusterChange.Place.of(node.member()))) {
                now.add(node);
            }
        }
        now.addAll(changed.joined());
        now.sort(ORDER);
        return now;
    }

    private static List<ClusterChange.Loss> losses(List<ClusterChange.Loss> before, ClusterChange.Nodes changed) {
        if (changed.lost().isEmpty() && changed.settled().isEmpty()) {
            return before;
        }
        Map<ClusterChange.Place, ClusterChange.Loss> now = new LinkedHashMap<>();
        before.forEach(loss -> now.put(ClusterChange.Place.of(loss.member()), loss));
        changed.settled().forEach(now::remove);
        changed.lost().forEach(loss -> now.put(ClusterChange.Place.of(loss.member()), loss));
        return List.copyOf(now.values());
    }

    /** Returns, for example, {@code epoch 17: 3 servers, 2 workers, 14 tensors}. */
    @Override
    public String toString() {
        return "epoch " + epoch + ": " + number(count(Role.SERVER), "server") + ", "
                + number(count(Role.WORKER), "worker") + ", " + number(tensors.size(), "tensor")
                + (lost.isEmpty() ? "" : ", " + lost.size() + " lost");
    }

    private static String number(int n, String what) {
        return n + " " + what + (n == 1 ? "" : "s");
    }
}
