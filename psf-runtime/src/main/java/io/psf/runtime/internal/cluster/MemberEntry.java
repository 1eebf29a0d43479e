package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.api.spi.NodeReport;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.spi.transport.Channel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A node in the {@link Membership}. It survives the loss of its channel. Until its first message after the join it
 * survives the loss of its connection as well. Used on the scheduler's lane.
 */
final class MemberEntry {
    final Join.Request request;
    Connection connection;
    CompletableFuture<Join.Response> joined = new CompletableFuture<>();
    /** True if the node is known to have received the answer to its join. */
    boolean confirmed;

    /** The rank, or the requested one before the node is admitted; the number of a client; -1 for none yet. */
    int rank;

    /** The epoch in which a member was admitted; 0 before, and for a client. */
    long since;

    /** True for a worker that joins a running job. */
    boolean late;

    /** The latest epoch that the node may know in its next heartbeat. */
    long mostKnown = Long.MAX_VALUE;

    /** True once the join is answered. */
    boolean admitted;

    /** When the node was heard last, as {@link ClusterPlan#now} counts. */
    long lastSeen;

    /** For how long the node has had no connection since {@link #ended}, in nanoseconds. */
    long absent;
    /** The channel that was closed at the last tick. */
    @Nullable
    Channel ended;
    /** Completed with true if nothing listens where the node did; null if that is not asked. */
    @Nullable
    CompletableFuture<Boolean> refuses;

    long beatSince;
    /** The epoch of the state that the node knows. */
    long known;
    /** The heartbeat that has still to be answered; null for none. */
    @Nullable
    CompletableFuture<Beat.Response> beat;

    /** What its calls have taken; null before it has reported that. */
    @Nullable
    NodeReport report;

    MemberEntry(Connection connection, Join.Request request, long now) {
        this.connection = connection;
        this.request = request;
        this.rank = request.rank();
        this.lastSeen = now;
    }

    /**
     * True if the node knows a state that the scheduler does not: for a restored one, a state that the journal did not
     * have.
     */
    boolean isAhead(long known, long epoch) {
        long most = Math.min(epoch, mostKnown);
        mostKnown = Long.MAX_VALUE;
        return known > most;
    }

    /** Returns what the journal has of the node. */
    JournalEntry.Seat seat() {
        return new JournalEntry.Seat(role(), rank, request.rank(), request.session(), late, name());
    }

    /** Returns the name of a worker; empty for none. */
    String name() {
        return request.names().node();
    }

    /** True for a worker that has a name. */
    boolean hasName() {
        return role() == Role.WORKER && !name().isEmpty();
    }

    Role role() {
        return request.role();
    }

    Member member() {
        return new Member(
                role(), rank, request.address().host(), request.address().port());
    }

    /** Returns the member as the states have it. */
    ClusterChange.Node node() {
        return new ClusterChange.Node(member(), since);
    }

    /** Returns the role and the rank. */
    ClusterChange.Place place() {
        return new ClusterChange.Place(role(), rank);
    }

    /** Returns where the node is, for messages. */
    String address() {
        return role() == Role.SERVER ? member().address() : connection.channel().peer();
    }

    /** Records a message of the node. */
    void heard(long now) {
        confirmed = true;
        lastSeen = now;
    }

    /** Subtracts a time from the silence of the node. */
    void excuse(long nanos, long now) {
        lastSeen = Math.max(lastSeen, Math.min(now, lastSeen + nanos));
    }

    /** Answers the heartbeat that waits, if there is one. */
    void answerBeat(Beat.Response now) {
        CompletableFuture<Beat.Response> waiting = beat;
        if (waiting != null) {
            beat = null;
            waiting.complete(now);
        }
    }

    /** Returns how the node is silent, for messages. */
    String silence(Duration limit) {
        String how =
                connection.channel().isOpen() ? "no heartbeat" : "no connection to the scheduler, and no heartbeat,";
        return how + " for " + limit.toMillis() + " ms";
    }
}
