package io.psf.runtime.cluster;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import java.util.List;
import java.util.regex.Pattern;

/** The conditions under which a node may join. */
final class JoinChecks {
    /** Host names and addresses that are safe to print in a log. */
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:%\\[\\]-]{1,255}");

    private static final Pattern NOT_OF_A_HOST = Pattern.compile("[^A-Za-z0-9._:%\\[\\]-]");
    private static final int MOST_PRINTED = 255;

    private JoinChecks() {}

    /** Validates the node's own description, since it is logged and sent to other nodes. */
    static void requireNode(Join.Request request) {
        if (request.role() == Role.SCHEDULER) {
            throw new PsException(Code.BAD_REQUEST, "role: scheduler (expected: server or worker)");
        }
        if (request.session() == 0) {
            throw new PsException(Code.BAD_REQUEST, "session of a join: 0 (expected: a number of its own, not 0)");
        }
        Join.Address address = request.address();
        boolean listens = request.role() == Role.SERVER;
        boolean isPlace = listens
                ? HOST.matcher(address.host()).matches() && address.port() > 0 && address.port() < 1 << 16
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
     * Checks that a cluster lacks the node that wants to join.
     *
     * @param isForming false if the cluster has been complete, or has failed to form
     * @param joined the nodes that have joined
     */
    static void requireFree(Join.Request request, ClusterPlan plan, boolean isForming, List<MemberEntry> joined) {
        Role role = request.role();
        int expected = role == Role.SERVER ? plan.servers() : plan.workers();
        if (joined.stream().filter(other -> other.role() == role).count() == expected) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "another " + role.label() + ": the cluster has its " + plan
                            + " (expected: as many nodes as the scheduler was configured for)");
        }
        if (!isForming) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "another " + role.label() + ": the cluster of " + plan
                            + " is not forming any more (expected: nodes before that)");
        }
        if (request.rank() >= expected) {
            throw new PsException(
                    Code.BAD_REQUEST,
                    "rank of a " + role.label() + ": " + request.rank() + " (expected: below " + expected + ")");
        }
        for (MemberEntry other : joined) {
            if (other.role() == role && request.rank() >= 0 && other.request.rank() == request.rank()) {
                throw new PsException(
                        Code.BAD_REQUEST,
                        "rank of a " + role.label() + ": " + request.rank()
                                + " (expected: one that no other node asked for)");
            }
        }
    }
}
