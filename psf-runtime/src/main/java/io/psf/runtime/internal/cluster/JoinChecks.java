package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The conditions under which a node may join. */
final class JoinChecks {
    private static final Pattern NOT_OF_A_HOST = Pattern.compile("[^A-Za-z0-9._:%\\[\\]-]");
    private static final int MOST_PRINTED = 255;

    /** The most clients at a time. */
    static final int MOST_CLIENTS = 10_000;

    /** The most workers at a time where their number is open. */
    static final int MOST_WORKERS = 1 << 16;

    /** The limit of ranks where the number of workers is open: the nodes keep tables of ranks. */
    static final int MOST_RANKS = 1 << 20;

    private JoinChecks() {}

    /** Validates the node's own description, since it is logged and sent to other nodes. */
    static void requireNode(Join.Request request) {
        if (request.role() == Role.SCHEDULER) {
            throw new PsException(Code.BAD_REQUEST, "role: scheduler (expected: server, worker or client)");
        }
        if (request.session() == 0) {
            throw new PsException(Code.BAD_REQUEST, "session of a join: 0 (expected: a number of its own, not 0)");
        }
        if (request.rank() < -1) { // else a server would wait for the loss of a rank that no server has
            throw new PsException(
                    Code.BAD_REQUEST,
                    "rank of a " + request.role().label() + ": " + request.rank() + " (expected: -1 for any, or 0 and"
                            + " above)");
        }
        if (request.role() == Role.CLIENT && request.rank() >= 0) {
            throw new PsException(
                    Code.BAD_REQUEST, "rank of a client: " + request.rank() + " (expected: -1, since it has none)");
        }
        for (String name : List.of(request.names().cluster(), request.names().node())) {
            if (!name.isEmpty() && !Join.Names.NAME.matcher(name).matches()) {
                throw new PsException(
                        Code.BAD_REQUEST,
                        "name in a join: " + name.length() + " characters (expected: " + Join.Names.EXPECTED + ")");
            }
        }
        Join.Address address = request.address();
        boolean listens = request.role() == Role.SERVER;
        boolean isPlace = listens
                ? Join.Address.HOST.matcher(address.host()).matches() && address.port() > 0 && address.port() < 1 << 16
                : address.host().isEmpty() && address.port() == 0;
        if (!isPlace) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "place of a " + request.role().label() + ": " + printable(address.host()) + ":" + address.port()
                            + (listens
                                    ? " (expected: a host and a port)"
                                    : " (expected: none, since it does not listen)"));
        }
    }

    /**
     * Checks that a worker may take the place of another one of its name.
     *
     * @param grant what the worker that joins may call
     */
    static void requireSame(MemberEntry named, Join.Request request, String grant) {
        if (!named.connection.rights().grant().equals(grant)) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "name of a worker: " + named.name() + " (expected: one that no worker with other permissions has)");
        }
        if (named.admitted && request.rank() >= 0 && request.rank() != named.rank) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "rank of worker \"" + named.name() + "\": " + request.rank() + " (expected: any, or " + named.rank
                            + ", which it has had)");
        }
    }

    /**
     * Checks that a cluster has not ended.
     *
     * @param why why it has ended if it failed
     */
    static void requireNotEnded(boolean hasEnded, ClusterPlan plan, @Nullable PsException why) {
        if (hasEnded) {
            String reason = why == null ? " (expected: before)" : ": " + why.detail();
            throw new PsException(Code.BAD_REQUEST, "join: the cluster of " + plan + " has ended" + reason);
        }
    }

    /** Checks that a join is the first one on its connection. */
    static void requireFirst(boolean isFirst) {
        if (!isFirst) {
            throw new PsException(Code.BAD_REQUEST, "join: a second one on this connection (expected: one)");
        }
    }

    /**
     * Checks that a node that joins in the session of another join is the same one, and may not have had the answer.
     */
    static void requireUnanswered(MemberEntry entry, Join.Request again) {
        if (entry.confirmed || !entry.request.isOfSameNode(again)) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "session of a join: in use already (expected: a number of its own, not another node's)");
        }
    }

    /** Validates the description of a guest. */
    static void requireGuest(Join.Request request) {
        requireNode(request);
        if (request.role() != Role.WORKER || request.rank() != Ticket.GUEST) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "guest: " + request.role().label() + " of rank " + request.rank() + " (expected: worker of rank "
                            + Ticket.GUEST + ")");
        }
    }

    private static String printable(String text) {
        return NOT_OF_A_HOST
                .matcher(text.substring(0, Math.min(text.length(), MOST_PRINTED)))
                .replaceAll("?");
    }

    /**
     * Checks that a cluster lacks the node that wants to join, or has room for it.
     *
     * @param isForming false if the cluster has been complete
     * @param joined the nodes that have joined
     */
    static void requireFree(Join.Request request, ClusterPlan plan, boolean isForming, MemberTable joined) {
        Role role = request.role();
        if (role == Role.CLIENT) {
            if (joined.count(role) >= MOST_CLIENTS) {
                throw new PsException(
                        Code.RESOURCE_EXHAUSTED,
                        "clients: " + (MOST_CLIENTS + 1) + " (expected: at most " + MOST_CLIENTS + " at a time)");
            }
            return;
        }
        int expected = role == Role.SERVER ? plan.servers() : plan.workers();
        boolean isOpen = role == Role.WORKER && plan.more();
        if (!isOpen && (isForming || role == Role.WORKER) && joined.count(role) >= expected) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "another " + role.label() + ": the cluster has all of its " + plan + " (expected: "
                            + (role == Role.WORKER
                                    ? "at most as many, unless PSF_WORKERS is " + expected + "+"
                                    : "as many nodes as the scheduler was configured for")
                            + ")");
        }
        if (isOpen && joined.count(role) >= MOST_WORKERS) {
            throw new PsException(
                    Code.RESOURCE_EXHAUSTED,
                    "workers: " + (MOST_WORKERS + 1) + " (expected: at most " + MOST_WORKERS + " at a time)");
        }
        if (!isOpen && request.rank() >= expected) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "rank of a " + role.label() + ": " + request.rank() + " (expected: below " + expected + ")");
        }
        if (isOpen && request.rank() >= MOST_RANKS) {
            throw new PsException(
                    Code.BAD_REQUEST, "rank of a worker: " + request.rank() + " (expected: below " + MOST_RANKS + ")");
        }
        boolean mayWait = role == Role.SERVER && !isForming;
        if (!mayWait && request.rank() >= 0 && joined.of(role, request.rank()) != null) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "rank of a " + role.label() + ": " + request.rank()
                            + " (expected: one that no other node has or asked for)");
        }
    }

    /**
     * Returns why a cluster has not formed.
     *
     * @param joined how many nodes have joined, and of how many
     */
    static PsException incomplete(String joined, Duration limit) {
        return new PsException(
                Code.TIMED_OUT,
                "nodes that have joined after " + limit.toMillis() + " ms: " + joined.replace(", ", " and ")
                        + " (expected: all)");
    }

    /** Returns why a cluster does not form any more. */
    static PsException neverFormed() {
        return new PsException(Code.CLOSED, "the cluster: its scheduler was told to end before all nodes had joined");
    }

    /** Checks that a cluster runs, so that it may have guests. */
    static void requireRunning(boolean runs, boolean hasEnded, String joined) {
        if (!runs) {
            throw new PsException(
                    Code.UNAVAILABLE,
                    "cluster: "
                            + (hasEnded
                                    ? "has ended (expected: running)"
                                    : joined.replace(", ", " and ") + " have joined (expected: all)"));
        }
    }

    /** Returns why a cluster cannot go on, one of whose nodes knows more than the scheduler. */
    static PsException oldJournal(Member node, long known, long epoch) {
        return new PsException(
                Code.CLOSED,
                "epoch that " + node + " knows: " + known + " (expected: at most " + epoch
                        + "; the scheduler was started again from an old journal)");
    }

    /** Returns why an earlier node is no node any more. */
    static PsException lost() {
        return new PsException(
                Code.CLOSED,
                "this node: counted as lost by the scheduler (expected: a heartbeat within PSF_HEARTBEAT_LIMIT; start"
                        + " it again)");
    }
}
