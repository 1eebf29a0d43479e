package io.psf.runtime;

import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.runtime.internal.cluster.GuestLink;
import io.psf.runtime.internal.cluster.Visit;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The nodes of a cluster at one time, as its scheduler knows them.
 *
 * @param plan the cluster that the scheduler has formed
 * @param age the time since the cluster has formed, or since another scheduler took the place of the lost one
 * @param members every node that is present, except the scheduler and the clients: servers, then workers, by rank
 * @param lost the nodes that count as lost, in the order of their losses
 * @param models the models of whose checkpoints the slices of a lost server are loaded
 * @param events what has happened to nodes and tensors lately, the latest last; at most 256
 */
public record ClusterSummary(
        Plan plan, Duration age, List<Member> members, List<LostNode> lost, List<String> models, List<Event> events) {
    public ClusterSummary {
        members = List.copyOf(members);
        lost = List.copyOf(lost);
        models = List.copyOf(models);
        events = List.copyOf(events);
    }

    /** Creates a summary without events. */
    public ClusterSummary(Plan plan, Duration age, List<Member> members, List<LostNode> lost, List<String> models) {
        this(plan, age, members, lost, models, List.of());
    }

    /**
     * A cluster as it was planned.
     *
     * @param name the cluster's name ({@code PSF_CLUSTER}); empty for none
     * @param service true if the cluster outlives its jobs
     * @param servers the number of servers that the cluster has when it is complete
     * @param workers the number of workers with which a job begins
     */
    public record Plan(String name, boolean service, int servers, int workers) {}

    /**
     * A node that counts as lost.
     *
     * @param member the node as it was
     * @param reason why it counts as lost
     * @param awaited true if another process is expected in its place
     */
    public record LostNode(Member member, String reason, boolean awaited) {}

    /**
     * What has happened to nodes or tensors.
     *
     * @param at when, by the scheduler's clock
     * @param kind {@code joined}, {@code left}, {@code lost}, {@code returned} or {@code rolled back} for nodes, {@code
     *     declared}, {@code moved} or {@code dropped} for tensors; others may be added
     * @param text of which nodes or tensors, and why
     */
    public record Event(Instant at, String kind, String text) {}

    static ClusterSummary of(GuestLink link) {
        Visit.Cluster now = link.cluster();
        return new ClusterSummary(
                new Plan(
                        now.plan().name(),
                        now.plan().service(),
                        now.plan().servers(),
                        now.plan().workers()),
                Duration.ofMillis(now.ageMillis()),
                now.members(),
                now.lost().stream()
                        .map(each -> new LostNode(each.member(), each.reason(), each.awaited()))
                        .toList(),
                now.models(),
                link.events().stream()
                        .map(each -> new Event(Instant.ofEpochMilli(each.millis()), each.kind(), each.text()))
                        .toList());
    }

    /** Returns the ranks of the servers that are missing: lost, or left before the end. */
    public List<Integer> missingServers() {
        Set<Integer> present = members.stream()
                .filter(each -> each.role() == Role.SERVER)
                .map(Member::rank)
                .collect(Collectors.toSet());
        return IntStream.range(0, plan.servers())
                .filter(rank -> !present.contains(rank))
                .boxed()
                .toList();
    }

    /** Returns the number of nodes of a role that are present. */
    public int present(Role role) {
        return (int) members.stream().filter(each -> each.role() == role).count();
    }
}
