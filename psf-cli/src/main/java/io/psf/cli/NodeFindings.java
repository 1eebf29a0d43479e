package io.psf.cli;

import io.psf.api.Role;
import io.psf.api.spi.NodeReport;
import io.psf.cli.Finding.Cause;
import io.psf.runtime.ClusterSummary;
import java.util.Comparator;
import java.util.Optional;
import java.util.SortedMap;

/** What single nodes are the cause of: one that is absent, one whose heap is too small. */
final class NodeFindings {
    private NodeFindings() {}

    static Finding lost(ClusterSummary.LostNode node) {
        String role = node.member().role().label();
        return new Finding(
                Cause.ABSENT_NODE,
                1,
                "A node is absent: " + role + " " + node.member().rank() + " is lost (" + node.reason() + ")."
                        + (node.awaited()
                                ? " Calls that need it wait for another process in its place."
                                : " Nothing is expected in its place."),
                node.awaited()
                        ? "start the " + role + " again"
                        : "PSF_" + node.member().role().name()
                                + "_RETURN on the scheduler lets another process take its place; now, end the job and"
                                + " start it again");
    }

    /** Returns the node of a role whose heap is collected the most; empty if the heaps are large enough. */
    static Optional<Finding> heap(Role role, SortedMap<Integer, NodeReport> reports) {
        return reports.entrySet().stream()
                .filter(each -> each.getValue().heapUsed() >= each.getValue().heapMost() / 2) // else it is large enough
                .max(Comparator.comparingDouble(each -> collected(each.getValue())))
                .map(each -> heap(role, each.getKey(), each.getValue()));
    }

    private static Finding heap(Role role, int rank, NodeReport node) {
        return new Finding(
                Cause.HEAP,
                collected(node),
                "The heap of " + role.label() + " " + rank + " is collected for " + Units.share(collected(node))
                        + " of the time: " + Units.bytes(node.heapUsed()) + " of " + Units.bytes(node.heapMost())
                        + " are used.",
                "a larger -Xmx of the " + role.label()
                        + (role == Role.SERVER ? " (PSF_JAVA_OPTS)" : ", or fewer objects in a step"));
    }

    /** Returns the share of its time that a node's process spends in the collector of its heap. */
    static double collected(NodeReport node) {
        return node.nanos() <= 0 ? 0 : Math.min(1, (double) node.collectNanos() / node.nanos());
    }
}
