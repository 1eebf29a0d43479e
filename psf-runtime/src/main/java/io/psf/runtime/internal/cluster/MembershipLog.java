package io.psf.runtime.internal.cluster;

import io.psf.api.Role;
import io.psf.runtime.spi.transport.PeerLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The lines about nodes that come and go, of which a peer cannot cause more than a number each minute. */
final class MembershipLog {
    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);

    private final PeerLog joins;
    private final PeerLog repeatedJoins;
    private final PeerLog ranks;
    private final PeerLog jobs = new PeerLog(LOG::info);
    private final PeerLog departures;
    private final PeerLog breaks;
    private final PeerLog losses;

    /**
     * Creates the log.
     *
     * @param nodes the number of nodes of the cluster, which may come at once
     */
    MembershipLog(int nodes) {
        this.joins = new PeerLog(LOG::info, nodes);
        this.repeatedJoins = new PeerLog(LOG::info, nodes);
        this.departures = new PeerLog(LOG::info, nodes);
        this.breaks = new PeerLog(LOG::warn, nodes);
        this.ranks = new PeerLog(LOG::info, nodes);
        this.losses = new PeerLog(LOG::warn, nodes);
    }

    /**
     * A node has joined.
     *
     * @param progress how many have joined; empty if that does not matter
     */
    void joined(MemberEntry entry, String progress) {
        joins.line(entry.role().label() + " joined from " + entry.address()
                + (progress.isEmpty() ? "" : " (" + progress + ")"));
    }

    /** A node has joined again, from another address perhaps, since it did not receive the answer. */
    void joinedAgain(MemberEntry entry, String peer) {
        repeatedJoins.line(entry.role().label() + " joined again from " + peer);
    }

    void ranked(MemberEntry entry) {
        ranks.line(entry.role().label() + " at " + entry.address() + " has rank " + entry.rank);
    }

    /** A job begins, or has ended: as often as workers come and go. */
    void job(String event) {
        jobs.line(event);
    }

    void left(MemberEntry entry) {
        departures.line(entry.role().label() + " " + entry.rank + " left");
    }

    /** A node has gone that waited for its admission. */
    void disconnected(MemberEntry entry, String peer, boolean isForming) {
        breaks.line(entry.role().label() + " at " + peer + " disconnected before "
                + (isForming ? "the cluster was ready" : "its job began"));
    }

    void lost(MemberEntry entry, String reason) {
        String lost = "lost " + entry.member() + ": " + reason;
        if (entry.role() == Role.CLIENT) {
            breaks.line(lost);
        } else {
            losses.line(lost);
        }
    }
}
