package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.runtime.internal.server.session.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that have joined and not left, by connection, by session, and by rank. Clients are among them, with their
 * numbers as ranks. Used on the scheduler's lane.
 */
final class MemberTable {
    private final Map<Long, MemberEntry> bySession = new LinkedHashMap<>();
    private final IdentityHashMap<Connection, MemberEntry> byConnection = new IdentityHashMap<>();
    private final Map<ClusterChange.Place, MemberEntry> byRank = new HashMap<>();
    /** The workers that have names. */
    private final Map<String, MemberEntry> byName = new HashMap<>();

    private final Map<Role, Integer> counts = new EnumMap<>(Role.class);
    /** For each role a rank below which none is free. */
    private final Map<Role, Integer> lowest = new EnumMap<>(Role.class);

    /** Adds a node, which keeps the rank that it has requested from others. */
    void add(MemberEntry entry) {
        bySession.put(entry.request.session(), entry);
        byConnection.put(entry.connection, entry);
        counts.merge(entry.role(), 1, Integer::sum);
        if (entry.rank >= 0) {
            byRank.put(entry.place(), entry);
        }
        if (entry.hasName()) {
            byName.put(entry.name(), entry);
        }
    }

    void remove(MemberEntry entry) {
        bySession.remove(entry.request.session());
        byConnection.remove(entry.connection);
        counts.merge(entry.role(), -1, Integer::sum);
        byRank.remove(entry.place(), entry);
        byName.remove(entry.name(), entry);
        if (entry.rank >= 0) {
            lowest.computeIfPresent(entry.role(), (role, low) -> Math.min(low, entry.rank));
        }
    }

    void clear() {
        List.copyOf(bySession.values()).forEach(this::remove);
    }

    /** Moves a node to another connection. */
    void move(MemberEntry entry, Connection to) {
        byConnection.remove(entry.connection);
        entry.connection = to;
        byConnection.put(to, entry);
    }

    /** Gives a node a rank. */
    void rank(MemberEntry entry, int rank) {
        entry.rank = rank;
        byRank.put(entry.place(), entry);
    }

    /** Gives a node the lowest rank that no other node has or has requested, unless it has one. */
    void rank(MemberEntry entry) {
        if (entry.rank < 0) {
            int free = lowest.getOrDefault(entry.role(), 0);
            while (of(entry.role(), free) != null) {
                free++;
            }
            rank(entry, free);
            lowest.put(entry.role(), free + 1);
        }
    }

    /** Returns all nodes, in the order in which they joined. */
    Collection<MemberEntry> all() {
        return bySession.values();
    }

    /** Returns the nodes of a role that have not been admitted. */
    List<MemberEntry> waiting(Role role) {
        return all().stream()
                .filter(entry -> entry.role() == role && entry.since == 0 && !entry.admitted)
                .toList();
    }

    /** Subtracts a time from the silence of all nodes, in which this scheduler was stopped, if it is positive. */
    void excuse(long nanos, long now) {
        if (nanos > 0) {
            all().forEach(entry -> entry.excuse(nanos, now));
        }
    }

    /** Returns the nodes that are admitted and members of the cluster, which clients are not. */
    List<MemberEntry> present() {
        return all().stream().filter(entry -> entry.since > 0).toList();
    }

    /** Returns the members of the cluster. */
    List<Member> members() {
        return present().stream().map(MemberEntry::member).toList();
    }

    /** Removes the nodes whose joins are not answered, and fails these. */
    void refuseWaiting(PsException why) {
        List<MemberEntry> waiting =
                all().stream().filter(entry -> !entry.admitted).toList();
        waiting.forEach(this::remove);
        waiting.forEach(entry -> entry.joined.completeExceptionally(why));
    }

    /** Returns the seats of the nodes that a change admits. */
    List<JournalEntry.Seat> seats(ClusterChange change) {
        List<JournalEntry.Seat> seats = new ArrayList<>();
        if (change.nodes() != null) {
            for (ClusterChange.Node node : change.nodes().joined()) {
                MemberEntry entry = of(node.member().role(), node.member().rank());
                if (entry != null) {
                    seats.add(entry.seat());
                }
            }
        }
        return seats;
    }

    /** Returns the number of nodes of a role, those included that wait for the cluster to be complete. */
    int count(Role role) {
        return counts.getOrDefault(role, 0);
    }

    /** True if a cluster that forms has its nodes: its servers, and its workers unless it is a service. */
    boolean isComplete(ClusterPlan plan) {
        return count(Role.SERVER) == plan.servers() && (plan.service() || count(Role.WORKER) >= plan.workers());
    }

    /** Returns how many of the nodes of a cluster have joined. */
    String joined(ClusterPlan plan) {
        return count(Role.SERVER) + " of " + plan.servers() + " servers, " + count(Role.WORKER) + " of "
                + plan.workers() + " workers";
    }

    boolean isEmpty() {
        return bySession.isEmpty();
    }

    @Nullable
    MemberEntry of(Connection connection) {
        return byConnection.get(connection);
    }

    @Nullable
    MemberEntry ofSession(long session) {
        return bySession.get(session);
    }

    /** Returns the worker that has the name of the joining worker. */
    @Nullable
    MemberEntry named(Join.Request request) {
        return request.role() == Role.WORKER ? byName.get(request.names().node()) : null;
    }

    /** Returns the node that has a rank, or has requested it. */
    @Nullable
    MemberEntry of(Role role, int rank) {
        return byRank.get(new ClusterChange.Place(role, rank));
    }
}
