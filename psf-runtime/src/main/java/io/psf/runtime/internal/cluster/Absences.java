package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.runtime.spi.transport.Channel;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Says which nodes are lost: nodes that have been silent for the heartbeat's limit, and earlier the nodes whose process
 * has ended. The system closes the connections and the port of such a process at once. A worker has ended if its
 * connection is closed and it does not connect again within a second; a server, if it refuses connections as well. A
 * server that takes a connection may be alive, and acknowledge pushes. Used on the scheduler's lane.
 */
final class Absences {
    private static final long LIMIT = TimeUnit.SECONDS.toNanos(1);

    /**
     * The most that counts between two ticks: a scheduler that runs rarely reads the hellos of nodes that connect again
     * as rarely.
     */
    private static final long MOST_OF_A_TICK = LIMIT / 10;

    private final ClusterPlan plan;
    private final Function<Member, CompletableFuture<Boolean>> refuses;

    /**
     * Creates one.
     *
     * @param refuses connects to a server, without blocking; true if nothing listens there
     */
    Absences(ClusterPlan plan, Function<Member, CompletableFuture<Boolean>> refuses) {
        this.plan = plan;
        this.refuses = refuses;
    }

    /**
     * Returns why a node is lost; null if it is not.
     *
     * @param passed the time since the last tick, in nanoseconds
     */
    @Nullable
    String lost(MemberEntry entry, long passed) {
        long limit = plan.heartbeatLimit().toNanos();
        boolean isSilent = entry.admitted && plan.now() - entry.lastSeen > limit && entry.beat == null;
        return isSilent ? entry.silence(plan.heartbeatLimit()) : ended(entry, passed);
    }

    private @Nullable String ended(MemberEntry entry, long passed) {
        // The channel of a node of the journal, which has not been heard, is closed until the node connects again. That
        // may take long. A server that refuses connections does not do it. A client costs nobody anything.
        boolean mayHaveEnded = entry.confirmed || entry.admitted && entry.role() == Role.SERVER;
        if (entry.role() == Role.CLIENT || !mayHaveEnded || !isAbsent(entry, passed)) {
            return null;
        }
        String why = "no connection to the scheduler for " + TimeUnit.NANOSECONDS.toMillis(LIMIT) + " ms";
        if (entry.role() == Role.WORKER) {
            return why + " after the end of the last one";
        }
        if (entry.refuses == null) {
            entry.refuses = refuses.apply(entry.member());
        }
        if (!entry.refuses.isDone()) {
            return null;
        }
        boolean hasEnded = entry.refuses.getNow(false);
        entry.refuses = null;
        entry.absent = 0; // a server that is there is asked again
        return hasEnded ? why + ", and the server refuses connections" : null;
    }

    /**
     * Returns the nodes that have gone, after the end of the cluster, without saying so. Nobody takes the place of a
     * server any longer, and clients are awaited, too: one rule is for all roles.
     *
     * @param passed the time since the last tick, in nanoseconds
     */
    List<MemberEntry> gone(Collection<MemberEntry> nodes, long passed) {
        return nodes.stream()
                .filter(entry -> entry.confirmed && isAbsent(entry, passed))
                .toList();
    }

    /** True if the node has had no connection for a second. */
    private static boolean isAbsent(MemberEntry entry, long passed) {
        Channel channel = entry.connection.channel();
        if (channel.isOpen()) {
            entry.absent = 0;
            entry.refuses = null;
            return false;
        }
        if (channel != entry.ended) { // another one has come and gone meanwhile
            entry.ended = channel;
            entry.absent = 0;
        }
        entry.absent += Math.min(passed, MOST_OF_A_TICK);
        return entry.absent >= LIMIT;
    }
}
