package io.psf.runtime.internal.cluster;

import io.psf.api.Role;
import io.psf.api.spi.NodeReport;
import io.psf.runtime.internal.server.session.Connection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The heartbeats of the nodes: each waits until the state changes, or a part of the heartbeat's limit has passed. Used
 * on the scheduler's lane.
 */
final class Beats {
    /** How long nodes report after a guest has asked. */
    private static final long REPORTS_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final ClusterPlan plan;
    private final MemberTable table;
    private final ClusterStates states;
    private boolean hasEnded;
    /** Until when nodes report what their calls take, as {@link ClusterPlan#now} counts; null if nobody has asked. */
    private @Nullable Long reportsUntil;

    /** Creates the heartbeats of a cluster, and its states, which answer them and begin with the journal's state. */
    Beats(ClusterPlan plan, MemberTable table, Journal journal) {
        this.plan = plan;
        this.table = table;
        this.states = new ClusterStates(
                journal.state().state(), change -> journal.changed(change, table.seats(change)), this::answerAll);
    }

    ClusterStates states() {
        return states;
    }

    /** Makes the answers say that the cluster has not ended. */
    void begin() {
        hasEnded = false;
    }

    /** Makes the answers from now on say that the cluster has ended. */
    void end() {
        hasEnded = true;
    }

    /** Receives a heartbeat of a node that knows the state of an epoch. */
    CompletableFuture<Beat.Response> beat(MemberEntry entry, long known) {
        answer(entry); // an earlier one, whose node no longer waits for it
        entry.heard(plan.now());
        if (known != states.now().epoch() || hasEnded || rules(entry) != null) {
            return CompletableFuture.completedFuture(since(known, entry));
        }
        CompletableFuture<Beat.Response> answer = new CompletableFuture<>();
        entry.beat = answer;
        entry.known = known;
        entry.beatSince = entry.lastSeen;
        return answer;
    }

    private Beat.Response since(long known, MemberEntry entry) {
        return new Beat.Response(states.since(known), hasEnded, rules(entry), areReportsAsked());
    }

    /** Returns the rules if the node is a server that does not know them; else null. */
    private @Nullable Rules rules(MemberEntry entry) {
        Rules now = plan.trust().rules();
        boolean isKnown = entry.connection.rights().knownRules() == now.version();
        return entry.role() != Role.SERVER || isKnown ? null : now;
    }

    /** Asks the nodes for reports, for a while, and returns the newest of each node. */
    List<Visit.Reported> askForReports() {
        boolean wereAsked = areReportsAsked();
        reportsUntil = plan.now() + REPORTS_NANOS;
        if (!wereAsked) {
            answerAll();
        }
        return table.all().stream()
                .filter(entry -> entry.report != null)
                .map(entry -> new Visit.Reported(entry.role(), entry.rank, Objects.requireNonNull(entry.report)))
                .toList();
    }

    /** Keeps the report of a node. Returns true if it should report again. */
    boolean reported(NodeReport report, Connection connection) {
        MemberEntry entry = table.of(connection);
        if (entry != null) {
            entry.report = report;
        }
        return areReportsAsked();
    }

    /** True if a guest has asked for reports a short time ago. */
    private boolean areReportsAsked() {
        Long until = reportsUntil;
        return until != null && until - plan.now() > 0;
    }

    private void answerAll() {
        for (MemberEntry entry : List.copyOf(table.all())) {
            answer(entry);
        }
    }

    /**
     * Answers the heartbeat of a node if it waits; else nothing asks for the differences. From the answer on the node
     * has at least three quarters of the limit for its next one, also if this scheduler has been stopped for a while.
     */
    void answer(MemberEntry entry) {
        if (entry.beat != null) {
            entry.lastSeen =
                    Math.max(entry.lastSeen, plan.now() - plan.heartbeatLimit().toNanos() / 4);
            entry.answerBeat(since(entry.known, entry));
        }
    }
}
