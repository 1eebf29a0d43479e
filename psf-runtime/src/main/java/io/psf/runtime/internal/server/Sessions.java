package io.psf.runtime.internal.server;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.spi.KeptAnswers;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.internal.server.session.PeerLimits;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The sessions of a node: connections whose calls run once, and which survive their channels. Thread-safe. */
final class Sessions {
    /** How long a session without a channel waits for its peer to reconnect. */
    static final long DETACHED_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** The most answers that are kept for members without a session. */
    static final int MOST_EARLY = 1 << 16;

    private final FramePool pool;
    private final Map<Long, Connection> byNumber = new ConcurrentHashMap<>();
    /** The number of sessions of each member. */
    private final Map<Peer, Integer> counts = new ConcurrentHashMap<>();

    private record Peer(Role role, int rank) {
        static Peer of(Member member) {
            return new Peer(member.role(), member.rank());
        }
    }

    /**
     * The answers of calls that ran on other nodes, of members that had no session here then. They are kept until the
     * member leaves, answers of clients for {@link #DETACHED_NANOS}: the hello of a session may stay unanswered, and
     * the calls come in a later session. Guarded by itself.
     */
    private final List<Early> early = new ArrayList<>();

    private record Early(KeptAnswers.Entry entry, long at) {
        boolean isOver(Presence presence) {
            return entry.role() == Role.CLIENT
                    ? System.nanoTime() - at > DETACHED_NANOS
                    : !presence.has(new Member(entry.role(), entry.rank(), "", 0), 0);
        }
    }

    /** How long a session without a channel lasts, in nanoseconds. */
    private volatile long detachedNanos = DETACHED_NANOS;

    /** How long the peer of a session may be silent, in nanoseconds; 0 for no limit. */
    private volatile long silenceNanos;

    /**
     * Creates an empty set.
     *
     * @param pool provides the memory of answers that ran on other nodes
     */
    Sessions(FramePool pool) {
        this.pool = pool;
    }

    /** Sets how long the peers of sessions may be silent. Applies to channels that are opened or resumed afterwards. */
    void setSilenceLimit(Duration limit) {
        silenceNanos = limit.toNanos();
    }

    /** Sets how long a session without a channel lasts. */
    void keepDetached(Duration limit) {
        detachedNanos = limit.toNanos();
    }

    /** Closes a channel if its peer is silent for longer than the limit. */
    void keepAlive(Channel channel) {
        if (silenceNanos > 0) {
            channel.keepAlive(silenceNanos);
        }
    }

    int size() {
        return byNumber.size();
    }

    /**
     * Gives a connection a session. Called by one thread at a time.
     *
     * @param since the epoch in which the peer joined; 0 for a client
     * @param session a number that the peer has chosen
     */
    void open(Connection connection, Member member, long since, long session) {
        if (session == 0 || byNumber.containsKey(session)) {
            throw new PsException(Code.BAD_REQUEST, "session: in use already (expected: a number of its own, not 0)");
        }
        connection.term().begin(since);
        connection.open(session);
        connection.identify(member);
        byNumber.put(session, connection); // not before: a session without a member is overdue
        counts.merge(Peer.of(member), 1, Integer::sum);
        addEarly(connection, member);
        Channel channel = connection.channel();
        keepAlive(channel);
        if (!channel.isOpen()) { // closed while its hello waited: no other thread detaches it
            connection.detach(channel);
        }
    }

    /**
     * Returns the connection of a session that a member resumes.
     *
     * @throws PsException with {@code CLOSED} if this node does not know the session, or has ended it
     */
    Connection require(Member member, long session) {
        Connection kept = byNumber.get(session);
        if (kept == null || !member.equals(kept.member())) {
            throw new PsException(
                    Code.CLOSED,
                    "session: unknown (expected: one whose connection broke within the last "
                            + TimeUnit.NANOSECONDS.toSeconds(detachedNanos) + " s)");
        }
        return kept;
    }

    /**
     * Moves a session to another channel.
     *
     * @param number the channel's number in the session
     * @return the channel before
     * @throws PsException with {@code CLOSED} if the session has ended; with {@code UNAVAILABLE} if it has moved to a
     *     later channel
     */
    Channel move(Connection kept, Channel channel, int number) {
        Channel old = kept.moveTo(channel, number);
        if (old == null && !kept.isOpen()) {
            throw new PsException(Code.CLOSED, "session: ended (expected: one that its worker has not left)");
        } else if (old == null) {
            throw new PsException(
                    Code.UNAVAILABLE,
                    "connection " + number + " of a session: outdated (expected: newer than the"
                            + " one that the session has)");
        }
        keepAlive(channel);
        return old;
    }

    /**
     * Keeps the answer of a call that ran on another node: in its member's sessions, or in the later ones if there is
     * none.
     */
    void keep(KeptAnswers.Entry entry) {
        synchronized (early) {
            boolean isKept = false;
            for (Connection each : byNumber.values()) {
                Member member = each.member();
                if (member != null && isOf(entry, member)) {
                    keep(entry, each);
                    isKept = true;
                }
            }
            if (!isKept) {
                if (early.size() >= MOST_EARLY) {
                    throw new PsException(
                            Code.RESOURCE_EXHAUSTED,
                            "kept answers of members without a session: " + (MOST_EARLY + 1) + ", this one of "
                                    + entry.role().label() + " " + entry.rank() + " (expected: at most " + MOST_EARLY
                                    + ")");
                }
                early.add(new Early(entry, System.nanoTime()));
            }
        }
    }

    private void addEarly(Connection connection, Member member) {
        synchronized (early) {
            for (Early each : early) {
                if (isOf(each.entry, member)) {
                    keep(each.entry, connection);
                }
            }
        }
    }

    private void keep(KeptAnswers.Entry entry, Connection connection) {
        byte[] bytes = entry.answer();
        if (bytes == null) {
            connection.answers().forgetUpTo(entry.call());
            return;
        }
        Frame answer = pool.acquire(bytes.length);
        answer.bytes().clear().put(bytes).flip();
        connection.answers().keep(answer);
    }

    private static boolean isOf(KeptAnswers.Entry entry, Member member) {
        return member.role() == entry.role() && member.rank() == entry.rank();
    }

    /** Returns the sessions of a member that have no channel. */
    List<Connection> abandoned(Member member) {
        if (of(member) == 0) {
            return List.of();
        }
        return byNumber.values().stream()
                .filter(each -> each.isDetachedFor(0) && PeerLimits.isOf(member, each))
                .toList();
    }

    /** Returns the sessions that have had no channel for too long, whose member is gone, or that have been retired. */
    List<Connection> overdue(Presence presence) {
        synchronized (early) {
            early.removeIf(each -> each.isOver(presence));
        }
        return byNumber.values().stream()
                .filter(each -> each.term().isRetired() || isGone(each, presence) || each.isDetachedFor(detachedNanos))
                .toList();
    }

    private static boolean isGone(Connection connection, Presence presence) {
        Member member = connection.member();
        return member == null || !presence.has(member, connection.term().since());
    }

    Collection<Connection> all() {
        return byNumber.values();
    }

    /** Returns the number of sessions of a member. */
    int of(Member member) {
        return counts.getOrDefault(Peer.of(member), 0);
    }

    void remove(long session) {
        Connection removed = byNumber.remove(session);
        Member member = removed == null ? null : removed.member();
        if (member != null) {
            counts.computeIfPresent(Peer.of(member), (peer, n) -> n == 1 ? null : n - 1);
        }
    }
}
